import { type Message, readMessages } from "./message.ts";

export type Newest =
  | { readonly kind: "ok"; readonly messages: readonly Message[] }
  | { readonly kind: "refused" | "offline" | "failed" };

const TIMEOUT_MS = 15_000;

/** The newest messages, oldest first. Never throws. */
export async function fetchNewest(token: string): Promise<Newest> {
  const response = await get("/api/messages?limit=50", token, AbortSignal.timeout(TIMEOUT_MS));
  if (response === "refused" || response === "offline") return { kind: response };
  if (!response.ok) return { kind: response.status === 503 ? "offline" : "failed" };
  const messages = readMessages(await response.json().catch(() => null));
  return messages === null ? { kind: "failed" } : { kind: "ok", messages };
}

/** The open stream of live events, or null when there is none to be had now. */
export async function openLive(
  token: string,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array> | null> {
  const response = await get("/api/live", token, signal);
  return response instanceof Response && response.ok ? response.body : null;
}

async function get(
  path: string,
  token: string,
  signal: AbortSignal,
): Promise<Response | "refused" | "offline"> {
  const headers = new Headers();
  try {
    headers.set("authorization", `Bearer ${token}`);
  } catch {
    // Characters that no header can carry: it cannot be the token.
    return "refused";
  }
  try {
    const response = await fetch(path, { headers, signal, cache: "no-store" });
    return response.status === 401 || response.status === 403 ? "refused" : response;
  } catch {
    return "offline";
  }
}
