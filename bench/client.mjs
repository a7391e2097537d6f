import { Agent, request } from "node:http";

/** Kept-alive connections to one local server. */
export function createClient(port, headers = {}) {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const call = (method, path, body) =>
    new Promise((settle, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const given = { ...headers, ...(text === undefined ? {} : { "content-type": "application/json" }) };
      const options = { agent, method, port, path, host: "127.0.0.1", headers: given };
      const sent = request(options, (response) => {
        const parts = [];
        response.on("data", (part) => parts.push(part));
        response.on("end", () => finish(response.statusCode, Buffer.concat(parts).toString("utf8")));
      });
      const finish = (status, answer) => {
        if (status === 200) settle(JSON.parse(answer));
        else reject(new Error(`${method} ${path} answered ${status}: ${answer.slice(0, 500)}`));
      };
      sent.on("error", reject);
      sent.end(text);
    });
  return { call, close: () => agent.destroy() };
}
