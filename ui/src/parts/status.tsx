/** A status as icon plus words, never by colour alone. */
import { labelOf } from "../language/language.ts";
import { words } from "../language/words.ts";
import { Icon, type IconName } from "./icon.tsx";

type Tone = "good" | "bad" | "warn" | "busy" | "quiet";

const LOOKS: Readonly<Record<string, readonly [Tone, IconName]>> = {
  delivered: ["quiet", "check"],
  ok: ["quiet", "check"],
  completed: ["good", "check"],
  done: ["good", "check"],
  failed: ["bad", "bang"],
  blocked: ["bad", "bang"],
  interrupted: ["bad", "bang"],
  denied: ["bad", "stop"],
  cancelled: ["warn", "cross"],
  timeout: ["bad", "clock"],
  step_limit: ["warn", "stop"],
  budget: ["warn", "stop"],
  queued: ["quiet", "clock"],
  started: ["busy", "play"],
  running: ["busy", "play"],
  dispatched: ["busy", "play"],
  open: ["quiet", "clock"],
  waiting: ["quiet", "clock"],
  review: ["warn", "clock"],
  approval: ["warn", "clock"],
};

interface StatusProps {
  readonly of: "message" | "run" | "task" | "outcome";
  readonly value: string;
}

const LABELS = {
  message: words.messageStatuses,
  run: words.runStatuses,
  task: words.taskStatuses,
  outcome: words.outcomes,
};

export function Status({ of, value }: StatusProps) {
  const [tone, icon] = LOOKS[value] ?? ["quiet", "more"];
  return (
    <span class={`status tone-${tone}`} data-status={value}>
      <Icon name={icon} />
      {labelOf(LABELS[of], value)}
    </span>
  );
}
