import { useComputed } from "@preact/signals";
import { speak } from "../language/language.ts";
import { addressOf, place, type View } from "../location/place.ts";
import { Icon, type IconName } from "../parts/icon.tsx";

const texts = speak(
  {
    label: "Views",
    communication: "Communication",
    tasks: "Tasks",
    agents: "Agents",
    insight: "Insight",
    log: "Log",
  },
  {
    label: "Ansichten",
    communication: "Kommunikation",
    tasks: "Aufträge",
    agents: "Agenten",
    insight: "Auswertung",
    log: "Log",
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
        </a>
      ))}
    </nav>
  );
}
