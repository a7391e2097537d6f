import { stripVTControlCharacters } from "node:util";

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 };
/** As wide as `  12.3 s  `. */
const INDENT = 10;

/**
 * Writes readable lines to a terminal or a file. Colours only for a terminal, and not with NO_COLOR.
 * @param out a stream such as process.stdout
 */
export function createScreen(out, environment = process.env) {
  const coloured = out.isTTY === true && !environment.NO_COLOR;
  const width = Math.min(Math.max(out.columns || 100, 60), 120);
  const write = (line) => out.write(`${line}\n`);
  const paint = (style, text) => (coloured ? `\u001b[${codes[style]}m${text}\u001b[0m` : text);
  return {
    paint,
    line: (text = "") => write(text),
    heading: (text) => write(`\n${paint("bold", text)}`),
    /** A paragraph below a heading, cleaned like an agent's text. */
    paragraph: (text, indent = 2) => {
      for (const line of wrap(readable(text), width - indent))
        write(`${" ".repeat(indent)}${line}`.trimEnd());
    },
    /**
     * Something that happened. `lead` may hold colours; `text` comes from an agent and is cleaned.
     * @param seconds since the demo's beginning, or null when the line goes on with what stands above
     */
    event: (seconds, lead, text) => {
      const plainLead = stripVTControlCharacters(lead).trimEnd();
      const [first = "", ...more] = wrap(
        `${stripVTControlCharacters(lead)}${readable(text)}`,
        width - INDENT,
      );
      const time =
        seconds === null ? " ".repeat(INDENT) : paint("dim", `${seconds.toFixed(1).padStart(6)} s  `);
      const shown = first.startsWith(plainLead) ? `${lead.trimEnd()}${first.slice(plainLead.length)}` : first;
      write(`${time}${shown}`.trimEnd());
      for (const line of more) write(`${" ".repeat(INDENT)}${line}`.trimEnd());
    },
  };
}

/** Without anything that would steer the terminal: an agent's text is only text. */
export function readable(text) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
  return stripVTControlCharacters(text).replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]+/g, " ");
}

/** Lines of at most that many characters, broken at spaces where there are any. */
export function wrap(text, width) {
  return text.split("\n").flatMap((line) => wrapLine(line, width));
}

function wrapLine(line, width) {
  const lines = [];
  let rest = line;
  while (rest.length > width) {
    const space = rest.lastIndexOf(" ", width);
    const end = space > 0 ? space : width;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest];
}
