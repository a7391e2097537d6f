import { STEPS } from "./deploy.mjs";
import { namesOf } from "./deployment.mjs";

/** What a real deployment would do, as text: a line for each of its steps. */
export function plan({ name, secrets }) {
  const needed = ["API_TOKEN (made if there is none)", ...secrets.filter((one) => one !== "API_TOKEN")];
  const lines = STEPS.map((step) => step.plan({ names: namesOf(name), secrets: needed }));
  return ["A real run would:", ...lines.map((line, index) => `  ${index + 1}. ${line}`)].join("\n");
}
