/** Tables of figures, with bars in their cells where amounts are compared. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { formatCount } from "../../language/format.ts";
import { texts } from "../texts.ts";

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly number?: boolean;
}

interface TableProps<Row> {
  readonly label: string;
  /** The first one names the row. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** How many rows are shown at first; all when absent. */
  readonly first?: number;
}

export function Table<Row>({ label, columns, rows, keyOf, first = rows.length }: TableProps<Row>) {
  const [all, setAll] = useState(false);
  const shown = all ? rows : rows.slice(0, first);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <section class="figure-table" aria-label={label} tabIndex={0}>
        <table class="table">
          <thead>
            <tr>
              {columns.map(({ name, number = false }) => (
                <th key={name} scope="col" class={number ? "number" : ""}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={keyOf(row)}>
                {columns.map(({ name, cell, number = false }, index) =>
                  index === 0 ? (
                    <th key={name} scope="row">
                      {cell(row)}
                    </th>
                  ) : (
                    <td key={name} class={number ? "number" : ""}>
                      {cell(row)}
                    </td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {rows.length > first && (
        <button type="button" class="bare figure-more" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? texts.fewer : texts.all(formatCount(rows.length))}
        </button>
      )}
    </>
  );
}

/** The number stands beside it. @param share from 0 to 1 */
export function Bar({ share, colour = "series-plain" }: { share: number; colour?: string }) {
  const width = `${Math.max(share > 0 ? 1 : 0, Math.min(100, share * 100))}%`;
  return (
    <span class="cell-bar" aria-hidden="true">
      <span class={`series ${colour}`} style={{ inlineSize: width }} />
    </span>
  );
}
