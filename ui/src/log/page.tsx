/** What the runtime and its tools said, and which tools were called. */
import { addressOf, place } from "../location/place.ts";
import { AuditTab } from "./audit-tab.tsx";
import "./log.css";
import { LogTab } from "./log-tab.tsx";
import { texts } from "./texts.ts";

const TABS = ["log", "audit"] as const;

export function Page() {
  const tab = place.value.query.tab === "audit" ? "audit" : "log";
  return (
    <div class="log">
      <header class="log-head">
        <h1 tabIndex={-1}>{texts.title}</h1>
        <nav class="log-tabs" aria-label={texts.tabs.label}>
          {TABS.map((each) => (
            <a
              key={each}
              href={addressOf({ view: "log", query: { tab: each === "audit" ? each : null } })}
              aria-current={each === tab ? "true" : undefined}
            >
              {texts.tabs[each]}
            </a>
          ))}
        </nav>
      </header>
      {tab === "audit" ? <AuditTab /> : <LogTab />}
    </div>
  );
}
