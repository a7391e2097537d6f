const MINUTE_MS = 60_000;

/**
 * Fires the Worker's cron trigger at each full minute: locally the platform does not. Ticks of minutes in
 * which nothing ran are not made up for here; the Worker catches up by itself.
 * @returns a function that ends it
 */
export function startCron(workerUrl, log) {
  let timer;
  let failing = false;
  const next = () => {
    timer = setTimeout(tick, MINUTE_MS - (Date.now() % MINUTE_MS));
  };
  const tick = async () => {
    next();
    const problem = await fireCron(workerUrl, Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS);
    if (problem !== null && !failing) log(`the minute's cron trigger failed: ${problem}`);
    failing = problem !== null;
  };
  next();
  return () => clearTimeout(timer);
}

/**
 * Fires the trigger once.
 * @param time the minute, in milliseconds since 1970
 * @returns null, or what went wrong
 */
async function fireCron(workerUrl, time) {
  const url = `${workerUrl}/cdn-cgi/local/scheduled?cron=*+*+*+*+*&time=${time}`;
  try {
    const response = await fetch(url);
    const text = await response.text();
    return response.ok ? null : `${response.status} ${text.slice(0, 200)}`;
  } catch (error) {
    return String(error.cause?.message ?? error.message);
  }
}
