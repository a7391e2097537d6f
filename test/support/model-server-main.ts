/**
 * The model server as a process of its own: `node model-server-main.ts [--port N] [--call NAME JSON] [--text TEXT]`.
 * Prints `model-server BASE_URL` when it listens, and stops on SIGTERM. Model names `fault/<name>` show a fault.
 */
import { faultByModel } from "./model-faults.ts";
import { answer, oneCallThen, startModelServer } from "./model-server.ts";

const args = process.argv.slice(2);
const after = (flag: string, distance = 1) =>
  args.includes(flag) ? args[args.indexOf(flag) + distance] : undefined;

const text = after("--text") ?? "Done.";
const name = after("--call");
const good =
  name === undefined
    ? (request: Parameters<typeof answer>[0]) => answer(request, { text })
    : oneCallThen({ id: "call", name, arguments: after("--call", 2) ?? "{}" }, text);

const server = await startModelServer(faultByModel(good), Number(after("--port") ?? 0));
process.stdout.write(`model-server ${server.baseUrl}\n`);
process.once("SIGTERM", () => void server.close());
