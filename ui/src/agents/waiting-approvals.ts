/** Tool calls that wait for a person, wherever one is on the page. */
import { effect, signal, untracked } from "@preact/signals";
import { api, call, type Problem } from "../api/client.ts";
import { onLive } from "../api/live.ts";
import type { Approval } from "../api/types.ts";
import { speak } from "../language/language.ts";
import { announce } from "../parts/announce.tsx";
import { comebacks } from "../session/session.ts";

const texts = speak(
  { arrived: "An agent asks for your approval." },
  { arrived: "Ein Agent bittet um deine Freigabe." },
);

export const approvals = signal<readonly Approval[]>([]);
/** Decided here: the record may say so a moment later. */
const decided = new Set<string>();

const FIRST_WAIT_MS = 300;
const TRIES = 6;

/** Keeps `approvals` true until called off. */
export function followApprovals(): () => void {
  const stopHearing = onLive(({ type, data }) => {
    const id = type === "notice" ? approvalOf(data) : null;
    if (id === null) return;
    announce(texts.arrived);
    void loadUntil(id);
  });
  const stopLoading = effect(() => {
    if (comebacks.value >= 0) void untracked(loadApprovals);
  });
  return () => {
    stopHearing();
    stopLoading();
  };
}

/** What was wrong, or null. */
export async function loadApprovals(): Promise<Problem | null> {
  const answer = await call(api.approvals.$get());
  if (!answer.ok) return answer.problem;
  const now = new Date().toISOString();
  approvals.value = answer.data.filter(
    ({ approvalId, expiresAt }) => !decided.has(approvalId) && expiresAt > now,
  );
  return null;
}

/** It waits no longer, whatever the record still says. */
export function forgetApproval(approvalId: string): void {
  decided.add(approvalId);
  approvals.value = approvals.peek().filter((approval) => approval.approvalId !== approvalId);
}

/** The live stream is quicker than the record. */
async function loadUntil(id: string): Promise<void> {
  for (let attempt = 0, wait = FIRST_WAIT_MS; attempt < TRIES; attempt += 1, wait *= 2) {
    await loadApprovals();
    if (decided.has(id) || approvals.peek().some(({ approvalId }) => approvalId === id)) return;
    await new Promise((settle) => setTimeout(settle, wait));
  }
}

const UID = "approval:";

/** The id of the approval that a notice speaks of; null for other notices. */
function approvalOf(data: unknown): string | null {
  const notice: unknown = typeof data === "object" && data !== null ? Reflect.get(data, "notice") : null;
  const uid: unknown = typeof notice === "object" && notice !== null ? Reflect.get(notice, "uid") : null;
  return typeof uid === "string" && uid.startsWith(UID) ? uid.slice(UID.length) : null;
}
