import { useComputed } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { approvals, followApprovals } from "../agents/waiting-approvals.ts";
import { speak } from "../language/language.ts";
import { addressOf, place, type View } from "../location/place.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { followWaiting, MOST_WAITING, waiting } from "../tasks/waiting.ts";

const texts = speak(
  {
    label: "Views",
    communication: "Communication",
    tasks: "Tasks",
    agents: "Agents",
    insight: "Insight",
    log: "Log",
    waiting: (_count: number) => "waiting for you",
  },
  {
    label: "Ansichten",
    communication: "Kommunikation",
    tasks: "Aufträge",
    agents: "Agenten",
    insight: "Auswertung",
    log: "Log",
    waiting: (count: number) => (count === 1 ? "wartet auf dich" : "warten auf dich"),
  },
);

const ENTRIES: readonly { view: Exclude<View, "chain">; icon: IconName }[] = [
  { view: "communication", icon: "talk" },
  { view: "tasks", icon: "board" },
  { view: "agents", icon: "team" },
  { view: "insight", icon: "chart" },
  { view: "log", icon: "lines" },
];

/** The views; a chain is reached from what belongs to it. */
export function Navigation() {
  const view = useComputed(() => place.value.view).value;
  useEffect(followWaiting, []);
  useEffect(followApprovals, []);
  return (
    <nav class="views" aria-label={texts.label}>
      {ENTRIES.map((entry) => (
        <a
          key={entry.view}
          href={addressOf({ view: entry.view })}
          aria-current={entry.view === view ? "page" : undefined}
        >
          <Icon name={entry.icon} />
          <span>{texts[entry.view]}</span>
          {entry.view === "tasks" && <Badge count={waiting.value.size} />}
          {entry.view === "agents" && <Badge count={approvals.value.length} />}
        </a>
      ))}
    </nav>
  );
}

/** How much waits for a person, wherever one is. */
function Badge({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <span class="badge">
      {count > MOST_WAITING ? `${MOST_WAITING}+` : count} <span class="unseen">{texts.waiting(count)}</span>
    </span>
  );
}
