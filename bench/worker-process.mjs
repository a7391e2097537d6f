// One Worker on the local runtime, without the debugger that `wrangler dev` attaches: that looks at every log line
// with the stack it came from, and nothing of the kind runs in production. Arguments: config, state folder, file of
// variables. Tells its parent the port as `wrangler dev` does.

// A line for each request would be a part of the load.
process.env.WRANGLER_LOG = "error";
const { unstable_startWorker } = await import("wrangler");

const [config, persist, varsFile] = process.argv.slice(2);
const worker = await unstable_startWorker({
  config,
  envFiles: [varsFile],
  dev: {
    persist,
    inspector: false,
    watch: false,
    server: { hostname: "127.0.0.1", port: 0 },
    structuredLogsHandler: ({ level, message }) => level === "error" && process.stderr.write(`${message}\n`),
  },
});
await worker.ready;
const { port } = await worker.url;
process.send({ event: "DEV_SERVER_READY", port: Number(port) });
