// Preloaded into each wrangler server: when the script that started it is gone, however it ended, wrangler ends too
// and takes its workerd along. Otherwise a killed start would leave an instance running that nobody sees.
process.on("disconnect", () => process.kill(process.pid, "SIGTERM"));
process.channel?.unref();
