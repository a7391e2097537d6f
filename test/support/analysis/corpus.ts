/** A corpus of any size from any seed: an office at work for sixty days, with troubles planted in it. */
import { type Corpus, Office, type Run } from "./office.ts";
import { plantTroubles } from "./plant.ts";
import type { Planted } from "./score.ts";
import { SmallTalk } from "./small-talk.ts";
import type { Topic } from "./topic.ts";

export const STAFF = [
  "clerk",
  "writer",
  "analyst",
  "shipping",
  "payroll",
  "legal",
  "support",
  "planner",
  "buyer",
  "ops",
  "desk",
  "auditor",
];
export const DAYS = 60;
const DAY_MS = 86_400_000;

export interface CorpusPlan {
  readonly seed: number;
  /** About so many messages. */
  readonly messages: number;
  /** Epoch milliseconds of the first day's midnight, UTC. */
  readonly start: number;
  readonly topics: readonly Topic[];
}

export interface PlantedCorpus extends Corpus {
  readonly planted: readonly Planted[];
  /** Epoch milliseconds; the corpus ends here. */
  readonly end: number;
}

export function makeCorpus(plan: CorpusPlan): PlantedCorpus {
  const office = new Office(plan.seed);
  const talk = new SmallTalk(plan.topics, office.random);
  const end = plan.start + DAYS * DAY_MS;
  const planted = plantTroubles({ office, talk, ...plan, end });
  while (office.corpus.messages.length < plan.messages)
    ordinaryChain(office, talk, plan.start + office.random.next() * (DAYS - 1) * DAY_MS);
  return { ...office.corpus, planted, end };
}

/** At this hour a service that many use is away. */
export const BAD_HOUR = 3;

function ordinaryChain(office: Office, talk: SmallTalk, at: number): void {
  const { random } = office;
  const run = office.root(random.pick(STAFF), at);
  for (let asks = random.whole(0, 3); asks > 0; asks -= 1) ordinaryAsk(office, talk, run);
  let worker: Run = run;
  for (let depth = 1; depth < 6 && random.chance(depth === 1 ? 0.5 : 0.25); depth += 1) {
    const next = office.task(worker, other(office, worker.agentId), {
      title: `Bitte ${random.whole(1_000, 999_999)} vorbereiten`,
      ...ordinaryEnd(office),
    });
    if (random.chance(0.3)) ordinaryAsk(office, talk, next);
    office.close(next, "task", { status: random.chance(0.02) && depth < 3 ? "failed" : "completed" });
    worker = next;
  }
  office.close(
    run,
    random.pick(["chat", "schedule", "email"] as const),
    random.chance(0.02) ? { status: "timeout" } : {},
  );
}

function ordinaryAsk(office: Office, talk: SmallTalk, run: Run): void {
  const to = other(office, run.agentId);
  const bad = new Date(run.at).getUTCHours() === BAD_HOUR ? 0.5 : 0.02;
  const status = office.random.chance(bad) ? office.random.pick(["failed", "timeout"] as const) : "delivered";
  office.ask(run, to, {
    question: talk.question(`${run.agentId}|${to}`),
    answer: status === "delivered" ? talk.answer() : `No answer: ${status}`,
    status,
  });
}

function ordinaryEnd(office: Office) {
  const { random } = office;
  if (random.chance(0.04))
    return random.pick([
      { status: "blocked" },
      { status: "blocked", rejections: 4 },
      { status: "cancelled" },
    ] as const);
  return { status: "done" } as const;
}

function other(office: Office, agentId: string): string {
  return office.random.pick(STAFF.filter((each) => each !== agentId));
}
