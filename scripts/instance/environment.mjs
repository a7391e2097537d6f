import { parsePort } from "./ports.mjs";

const DEFAULT_PORT = 8787;

/** What `startInstance` takes, from the environment that `npm start` and `npm run demo` share. */
export function instanceOptions(environment = process.env) {
  const { STATE_DIR, PARLEY_CONFIG, PARLEY_VARS, PORT } = environment;
  return {
    port: parsePort(PORT, DEFAULT_PORT),
    ...(STATE_DIR ? { stateDir: STATE_DIR } : {}),
    ...(PARLEY_CONFIG ? { configFile: PARLEY_CONFIG } : {}),
    ...(PARLEY_VARS ? { varsFile: PARLEY_VARS } : {}),
  };
}
