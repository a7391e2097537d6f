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

/** Keeps `approvals` true until called off. */
export function followApprovals(): () => void {
  const stopHearing = onLive(({ type, data }) => {
    if (type !== "notice" || kindOf(data) !== "approval") return;
    announce(texts.arrived);
    void loadApprovals();
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
  approvals.value = answer.data;
  return null;
}

function kindOf(data: unknown): unknown {
  const notice: unknown = typeof data === "object" && data !== null ? Reflect.get(data, "notice") : null;
  return typeof notice === "object" && notice !== null ? Reflect.get(notice, "kind") : null;
}
