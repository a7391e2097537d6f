/** Which instance is meant, and the token for it. */
import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** @returns {{ok: true, url: string, token: string} | {ok: false, message: string}} */
export function findTarget(options, env) {
  const address = addressOf(options, env);
  if (!address.ok) return address;
  const token = options.token ?? nonEmpty(env.API_TOKEN) ?? fromVars(env);
  if (token === undefined) {
    return {
      ok: false,
      message: "No API token. Pass --token, or set API_TOKEN in the environment or in .dev.vars.",
    };
  }
  return { ok: true, url: address.url, token };
}

function addressOf(options, env) {
  const given = options.url ?? nonEmpty(env.PARLEY_URL);
  if (given === undefined) return options.remote ? needsAddress() : localAddress(env);
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return { ok: false, message: `${given} is no http or https address.` };
  }
  return judge(url, options.remote);
}

/** The token must not cross a network in the clear, nor a file go out to a deployment by mistake. */
function judge(url, remote) {
  const isLocal = LOOPBACK.test(url.hostname);
  if (url.protocol !== "https:" && (remote || !isLocal)) {
    return {
      ok: false,
      message: `${url.origin} is not https. A token goes to another machine over https only.`,
    };
  }
  if (!remote && !isLocal) {
    return {
      ok: false,
      message: `${url.origin} is not on this machine. Add --remote if it is the one you mean.`,
    };
  }
  return { ok: true, url: `${url.origin}${url.pathname.replace(/\/+$/, "")}` };
}

function needsAddress() {
  return { ok: false, message: "--remote needs the instance's https address: pass --url or set PARLEY_URL." };
}

function localAddress(env) {
  const port = nonEmpty(env.PORT) ?? "8787";
  if (port === "0")
    return { ok: false, message: "PORT=0 stands for any free port. Pass the address with --url." };
  return { ok: true, url: `http://127.0.0.1:${port}` };
}

function fromVars(env) {
  for (const path of [nonEmpty(env.PARLEY_VARS), ".dev.vars"]) {
    const token = path === undefined ? undefined : nonEmpty(readVars(path).API_TOKEN);
    if (token !== undefined) return token;
  }
  return undefined;
}

function readVars(path) {
  try {
    return parseEnv(readFileSync(path, "utf8"));
  } catch {
    return {};
  }
}

function nonEmpty(text) {
  return text === undefined || text === "" ? undefined : text;
}
