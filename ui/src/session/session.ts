/** Who is signed in, and whether the instance can be reached. */
import { signal } from "@preact/signals";
import { forgetToken, keepToken, takeToken } from "./token.ts";

export type Session =
  /** Whether there is a session has still to be asked: behind Cloudflare Access no token is needed. */
  | { readonly state: "asking" }
  /** `token`: it is not the right one; `role`: Cloudflare Access knows who it is, and the instance gives no role. */
  | { readonly state: "signed-out"; readonly refused: "token" | "role" | null }
  /** Without a token the requests carry what the browser has from Cloudflare Access. */
  | { readonly state: "signed-in"; readonly token: string | null };

export const session = signal<Session>({ state: "asking" });

/** Whether the instance answers. `comebacks` counts how often it came back: what is shown is then read anew. */
export const connection = signal<"connecting" | "online" | "offline">("connecting");
export const comebacks = signal(0);

/** Takes the token from the address or from before a reload. */
export function beginSession(): void {
  const token = takeToken();
  session.value = token === null ? { state: "asking" } : { state: "signed-in", token };
}

export function signIn(token: string): void {
  keepToken(token);
  session.value = { state: "signed-in", token };
}

/** @param refused what the instance did not accept; null when it was left on purpose, or nobody had tried */
export function signOut(refused: "token" | "role" | null): void {
  forgetToken();
  session.value = { state: "signed-out", refused };
}

export function setReachable(reachable: boolean): void {
  const before = connection.value;
  connection.value = reachable ? "online" : "offline";
  if (reachable && before === "offline") comebacks.value += 1;
}
