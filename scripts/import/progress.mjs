/** Tells how far an import is: one line that renews itself each second on a terminal, one each ten seconds elsewhere. */

const TERMINAL_MS = 1_000;
const ELSEWHERE_MS = 10_000;

/** @param out a stream, stderr */
export function progressLine(out) {
  const every = out.isTTY ? TERMINAL_MS : ELSEWHERE_MS;
  let told = Date.now();
  let open = false;
  const line = (text) => {
    out.write(out.isTTY ? `\r\x1b[K${text}` : `${text}\n`);
    open = out.isTTY === true;
  };
  return {
    at(table, rows, total) {
      if (Date.now() - told < every) return;
      told = Date.now();
      line(`${table}  ${count(rows)} of ${count(total)} rows, ${percent(rows, total)}`);
    },
    /** Closes the line of a table with its end. */
    end(table, rows, total) {
      line(`${table}  ${count(rows)} of ${count(total)} rows, ${percent(rows, total)}`);
      if (open) out.write("\n");
      open = false;
    },
  };
}

export const count = (number) => number.toLocaleString("en-US");

function percent(rows, total) {
  return `${total === 0 ? 100 : Math.min(100, Math.floor((rows / total) * 100))}%`;
}
