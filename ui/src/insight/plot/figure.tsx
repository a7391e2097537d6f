/** A figure: what it shows, the plot, its numbers as a table, and both kinds of files of it. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { authorizedFetch } from "../../api/client.ts";
import { Icon } from "../../parts/icon.tsx";
import { saveAs } from "../../parts/save-as.ts";
import type { StatsQuery } from "../filters.ts";
import { texts } from "../texts.ts";

interface FigureProps {
  readonly title: string;
  /** What one sees, and how it is counted. */
  readonly hint?: string;
  /** The API's name of it, in `figure=`. */
  readonly name: string;
  readonly query: StatsQuery;
  readonly wide?: boolean;
  /** Behind a button; null where the figure is a table itself. */
  readonly table: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Figure({ title, hint, name, query, wide = false, table, children }: FigureProps) {
  const id = useId();
  return (
    <figure class="figure card" data-figure={name} data-wide={wide} aria-labelledby={id}>
      <figcaption>
        <h3 id={id}>{title}</h3>
        <Files title={title} path="/api/stats" query={{ ...query, figure: name }} file={name} />
        {hint !== undefined && <p class="quiet">{hint}</p>}
      </figcaption>
      {children}
      {table !== null && (
        <details class="figure-numbers">
          <summary>
            {texts.asTable}
            <span class="unseen">: {title}</span>
          </summary>
          {table}
        </details>
      )}
    </figure>
  );
}

interface FilesProps {
  readonly title: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly file: string;
}

const FORMATS = ["csv", "json"] as const;

export function Files({ title, path, query, file }: FilesProps) {
  const state = useSignal<"idle" | "busy" | "failed">("idle");
  const save = async (format: (typeof FORMATS)[number]) => {
    if (state.value === "busy") return;
    state.value = "busy";
    const parameters = new URLSearchParams({ ...query, format });
    state.value = await authorizedFetch(`${path}?${parameters}`)
      .then(async (response) => {
        if (!response.ok) return "failed" as const;
        saveAs(`${file}.${format}`, await response.blob());
        return "idle" as const;
      })
      .catch(() => "failed" as const);
  };
  return (
    <span class="files">
      {state.value === "failed" && <span role="alert">{texts.fileFailed}</span>}
      {FORMATS.map((format) => (
        <button
          key={format}
          type="button"
          class="bare"
          aria-label={texts.saveAs(title, format.toUpperCase())}
          aria-disabled={state.value === "busy"}
          onClick={() => void save(format)}
        >
          <Icon name="save" />
          {format.toUpperCase()}
        </button>
      ))}
    </span>
  );
}
