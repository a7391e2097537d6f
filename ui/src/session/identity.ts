/** Whom the instance takes this page for, and what that one may do. */
import { signal } from "@preact/signals";
import { api, call } from "../api/client.ts";
import { session } from "./session.ts";

interface Identity {
  readonly name: string;
  readonly role: "read" | "operate" | "admin";
}

/** Null until it is known. */
export const identity = signal<Identity | null>(null);

export async function loadIdentity(): Promise<void> {
  if (session.peek().state !== "signed-in") return;
  const answer = await call(api.me.$get());
  identity.value = answer.ok ? answer.data : null;
}
