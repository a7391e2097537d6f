/** Bindings of the Worker that only some teams need: wrangler.toml lacks them, one's own keys have them. */
import { Problem } from "../instance/problem.mjs";

const OPTIONAL = [
  {
    lines: '[[send_email]]\n    name = "EMAIL"',
    isThere: ({ send_email: bindings = [] }) => bindings.some(({ name }) => name === "EMAIL"),
    // Answers to mail go out over the binding where there is no SMTP account.
    needs: ({ path, value }) =>
      path.endsWith(".useSendEmail")
        ? value === true
        : path === "instance.email" && value !== null && value.smtp === undefined,
  },
  {
    lines: '[ai]\n    binding = "AI"',
    isThere: ({ ai }) => ai?.binding === "AI",
    needs: ({ path, value }) => path.endsWith(".provider") && value === "workers-ai",
  },
];

/**
 * Throws a {@link Problem} with what to write where.
 * @param team as `readTeam` answers it
 * @param workerConfig the config of the Worker as it will be deployed
 */
export function requireBindings({ name, document }, workerConfig) {
  const values = valuesIn(document, "");
  const missing = OPTIONAL.filter(({ isThere }) => !isThere(workerConfig)).flatMap(({ lines, needs }) => {
    const because = values.find(needs);
    return because === undefined ? [] : [`${because.path} needs a binding:\n    ${lines}`];
  });
  if (missing.length === 0) return;
  const file = `wrangler.${workerConfig.name}.toml`;
  throw new Problem(
    [`${name} asks for what the Worker does not have; write into ${file}:`, ...missing].join("\n  "),
  );
}

/** Every value of a document with its path, as `agents[0].model.provider`. */
function valuesIn(value, path) {
  if (Array.isArray(value)) return value.flatMap((one, index) => valuesIn(one, `${path}[${index}]`));
  if (value === null || typeof value !== "object") return [{ path, value }];
  const inner = Object.entries(value).flatMap(([key, one]) =>
    valuesIn(one, path === "" ? key : `${path}.${key}`),
  );
  return [{ path, value }, ...inner];
}
