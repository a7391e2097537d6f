import { namesOf } from "./deployment.mjs";

/** What a real deployment would do, as text. */
export function plan({ name, secrets }) {
  const names = namesOf(name);
  const needed = ["API_TOKEN (made if there is none)", ...secrets.filter((one) => one !== "API_TOKEN")];
  const steps = [
    "wrangler whoami: is somebody signed in, and which account is meant",
    `find or make D1 ${names.database}, KV ${names.namespace}, R2 ${names.files} and ${names.texts}, Pages ${names.viewer}`,
    "apply the migrations that the database lacks",
    `see that the Worker has these secrets: ${needed.join(", ")}`,
    "check the config file",
    `upload the Worker ${names.worker} and wait until that version answers`,
    `build the viewer and put it on ${names.viewer}, bound to ${names.worker}`,
    "send the config file, if it is new or changed",
    "smoke test: health, token, agents, the viewer's page and its way to the Worker",
  ];
  return ["A real run would:", ...steps.map((step, index) => `  ${index + 1}. ${step}`)].join("\n");
}
