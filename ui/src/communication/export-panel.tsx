/** Export of what is shown, with how far it is. */
import { useEffect, useMemo, useRef } from "preact/hooks";
import { nameOf } from "../api/team.ts";
import { formatCount } from "../language/format.ts";
import { ProblemNote } from "../parts/notes.tsx";
import { createExport, type ExportFormat } from "./export.ts";
import type { Filters } from "./filters.ts";
import { FoldOut } from "./fold-out.tsx";
import { texts } from "./texts.ts";

interface ExportPanelProps {
  readonly filters: Filters;
  /** How many messages there are, where that is known. */
  readonly expected: number | null;
}

export function ExportPanel({ filters, expected }: ExportPanelProps) {
  const key = JSON.stringify(filters);
  const job = useMemo(() => createExport(filters), [key]);
  useEffect(() => () => job.stop(), [job]);
  const panel = useRef<HTMLDivElement>(null);
  const format = useRef<ExportFormat>("md");
  const start = (wanted: ExportFormat) => {
    format.current = wanted;
    job.start(wanted, nameOf);
    requestAnimationFrame(() => panel.current?.querySelector<HTMLElement>(".export-stop")?.focus());
  };
  const stop = () => {
    job.stop();
    requestAnimationFrame(() => panel.current?.querySelector("button")?.focus());
  };
  const progress = job.progress.value;
  useEffect(() => {
    // The stop button goes away by itself; whoever stood on it stays in the panel.
    if (progress.state === "done" && document.activeElement === document.body)
      panel.current?.querySelector("button")?.focus();
  }, [progress.state]);
  return (
    <FoldOut icon="save" label={texts.exportAs} name="export">
      <div class="export" ref={panel}>
        <p class="quiet">{texts.exportHint}</p>
        {progress.state === "running" ? (
          <>
            <progress
              aria-label={texts.exportAs}
              {...(expected === null ? {} : { max: Math.max(1, expected), value: progress.messages })}
            />
            <p role="status">{texts.exporting(formatCount(progress.messages))}</p>
            <button type="button" class="export-stop" onClick={stop}>
              {texts.stop}
            </button>
          </>
        ) : (
          <p class="export-formats">
            <button type="button" onClick={() => start("md")}>
              Markdown
            </button>
            <button type="button" onClick={() => start("json")}>
              JSON
            </button>
          </p>
        )}
        {progress.state === "done" && <p role="status">{texts.exported(formatCount(progress.messages))}</p>}
        {progress.state === "failed" && (
          <ProblemNote problem={progress.problem} retry={() => start(format.current)} />
        )}
      </div>
    </FoldOut>
  );
}
