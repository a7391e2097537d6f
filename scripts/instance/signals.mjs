const signals = ["SIGINT", "SIGTERM", "SIGHUP"];

const end = () => process.exit(130);

/** Does the work; a signal in the meantime ends this process as an exit, which does what was registered for one. */
export async function endingOnSignal(work) {
  for (const name of signals) process.on(name, end);
  try {
    return await work();
  } finally {
    for (const name of signals) process.off(name, end);
  }
}

/**
 * Ends this process at once on a signal, until released; the servers follow (see follow-parent.mjs).
 * @returns a function that hands the signals on: it answers a promise of the first one
 */
export function endAtOnceOnSignal() {
  for (const name of signals) process.on(name, end);
  return () => {
    const first = new Promise((settle) => {
      for (const name of signals) process.once(name, () => settle(name));
    });
    for (const name of signals) process.off(name, end);
    return first;
  };
}
