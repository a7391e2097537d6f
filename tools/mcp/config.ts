/** What the operator says of the servers: where they are, what they need to hear, and which of their tools may be called. */
import { z } from "zod";
import { secret } from "../../core/tool.ts";
import { functionName } from "./names.ts";

const SERVER_NAME = /^[A-Za-z0-9][A-Za-z0-9-]{0,19}$/;
const HEADER = /^[A-Za-z0-9-]{1,64}$/;
/** Belong to the protocol, to the connection or to this instance. */
const NOT_TO_SET =
  /^(host|accept|content-.*|transfer-encoding|connection|cookie|last-event-id|mcp-.*|x-parley-.*)$/i;
/** Names of an address's parameters whose values are no business of a config document. */
const CREDENTIAL = /key$|token|secret|passw|signature|credential|auth|^(sig|code|pwd)$/i;

const serverName = z
  .string()
  .regex(SERVER_NAME, "Must be 1 to 20 letters, digits and -, as it is part of function names");
const toolNames = z.array(z.string().min(1).max(128)).max(100).default([]);

const serverUrl = z
  .url({ protocol: /^https?$/ })
  .max(2_000)
  .refine(holdsNoCredentials, "Must hold no credentials; use token or headers, with a $secret");

function holdsNoCredentials(address: string): boolean {
  const url = URL.parse(address);
  if (url === null) return true;
  return (
    url.username + url.password === "" && ![...url.searchParams.keys()].some((key) => CREDENTIAL.test(key))
  );
}

const serverSchema = z
  .strictObject({
    name: serverName,
    url: serverUrl,
    token: secret().optional(),
    headers: z.record(z.string().regex(HEADER, "Must be the name of an HTTP header"), secret()).default({}),
    tools: toolNames,
    repeatable: toolNames,
  })
  .superRefine(({ tools, repeatable, headers, token }, refinement) => {
    const issue = (path: (string | number)[], message: string) =>
      refinement.addIssue({ code: "custom", path, message });
    for (const [index, name] of repeatable.entries())
      if (!tools.includes(name)) issue(["repeatable", index], "Must be one of this server's tools");
    for (const name of Object.keys(headers)) {
      if (NOT_TO_SET.test(name)) issue(["headers"], `${name} is not to be set here`);
      if (/^authorization$/i.test(name) && token !== undefined)
        issue(["headers"], `There is a token already beside ${name}`);
    }
  });

export const configSchema = z
  .strictObject({ servers: z.array(serverSchema).min(1).max(10) })
  .superRefine(({ servers }, refinement) => {
    const taken = new Set<string>();
    for (const [index, { name, tools }] of servers.entries()) {
      const claim = (key: string, path: (string | number)[], message: string) => {
        if (taken.has(key))
          refinement.addIssue({ code: "custom", path: ["servers", index, ...path], message });
        taken.add(key);
      };
      claim(name, ["name"], "Is another server's name");
      for (const [at, tool] of tools.entries())
        claim(
          functionName(name, tool),
          ["tools", at],
          "Stands here already, or cannot be told from another one",
        );
    }
  });

export type McpConfig = z.infer<typeof configSchema>;
export type McpServer = McpConfig["servers"][number];

/** What functions are made of: the part of a config that holds no secrets, whether they are filled in or not. */
const offeredSchema = z.object({
  servers: z.array(
    z.object({
      name: serverName,
      url: z.string(),
      tools: toolNames,
      repeatable: toolNames,
    }),
  ),
});

export type OfferedServer = z.infer<typeof offeredSchema>["servers"][number];

/** Empty for what is no config of this tool. */
export function offeredServers(config: unknown): readonly OfferedServer[] {
  return offeredSchema.safeParse(config).data?.servers ?? [];
}
