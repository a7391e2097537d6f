/**
 * Markdown as Telegram shows it: plain text with entities beside it. So nothing has to be escaped, a text's
 * length is what Telegram counts, and a text can be cut anywhere without an entity being left open.
 */
import { marked } from "marked";

export interface Entity {
  readonly type: "bold" | "italic" | "strikethrough" | "code" | "pre" | "text_link" | "blockquote";
  /** In UTF-16 units, like the length. */
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
  readonly language?: string;
}

export interface FormattedText {
  readonly text: string;
  /** Outer ones before those that they contain. */
  readonly entities: readonly Entity[];
}

/** What is read of a token of the parser. */
interface Node {
  readonly type: string;
  readonly raw: string;
  readonly text?: string;
  readonly tokens?: readonly Node[];
  readonly items?: readonly Node[];
  readonly ordered?: boolean;
  readonly start?: number | "";
  readonly loose?: boolean;
  readonly lang?: string;
  readonly href?: string;
  readonly autolink?: boolean;
}

type Mark = Omit<Entity, "offset" | "length">;

/** Never throws: what is no Markdown stays as it is. */
export function formatMarkdown(markdown: string): FormattedText {
  const text = markdown.toWellFormed();
  if (TOO_DEEP.test(text)) return { text, entities: [] };
  const writer = new Writer();
  const nodes: readonly Node[] = marked.lexer(text);
  writeBlocks(writer, nodes);
  return writer.done();
}

/** The parser goes down into quotes and lists inside each other; as deep ones are nobody's message. */
const TOO_DEEP = /^(?:[ \t]*(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])){40}/m;

class Writer {
  #text = "";
  readonly #open: Mark["type"][] = [];
  readonly #entities: Entity[] = [];

  write(text: string): void {
    this.#text += text;
  }

  /** Writes what `inside` writes, marked where Telegram allows such a mark at this place. */
  mark(mark: Mark, inside: () => void): void {
    const alone = mark.type === "code" || mark.type === "pre";
    if (this.#open.includes(mark.type) || (alone && this.#open.length > 0)) {
      inside();
      return;
    }
    const [offset, position] = [this.#text.length, this.#entities.length];
    this.#open.push(mark.type);
    inside();
    this.#open.pop();
    const length = this.#text.length - offset;
    if (length > 0) this.#entities.splice(position, 0, { ...mark, offset, length });
  }

  done(): FormattedText {
    return { text: this.#text, entities: this.#entities };
  }
}

function writeBlocks(writer: Writer, nodes: readonly Node[]): void {
  let first = true;
  for (const node of nodes) {
    if (node.type === "space") continue;
    // A task's box stands in front of its text.
    if (!first) writer.write("\n\n");
    first = node.type === "checkbox";
    writeBlock(writer, node);
  }
}

function writeBlock(writer: Writer, node: Node): void {
  switch (node.type) {
    case "heading":
      writer.mark({ type: "bold" }, () => writeInline(writer, node));
      break;
    case "code": {
      const language =
        node.lang === undefined || node.lang === "" ? {} : { language: node.lang.slice(0, 60) };
      writer.mark({ type: "pre", ...language }, () => writer.write(node.text ?? ""));
      break;
    }
    case "blockquote":
      writer.mark({ type: "blockquote" }, () => writeBlocks(writer, node.tokens ?? []));
      break;
    case "table":
      writer.mark({ type: "pre" }, () => writer.write(node.raw.trimEnd()));
      break;
    case "list":
      writeList(writer, node, "");
      break;
    case "paragraph":
    case "text":
      writeInline(writer, node);
      break;
    default:
      writer.write(node.type === "checkbox" ? node.raw : node.raw.trimEnd());
      break;
  }
}

function writeList(writer: Writer, list: Node, indent: string): void {
  (list.items ?? []).forEach((item, index) => {
    if (index > 0) writer.write(list.loose === true ? "\n\n" : "\n");
    const marker = list.ordered === true ? `${Number(list.start) + index}. ` : "- ";
    writer.write(indent + marker);
    writeItem(writer, item, `${indent}  `);
  });
}

function writeItem(writer: Writer, item: Node, indent: string): void {
  let first = true;
  for (const node of (item.tokens ?? []).filter(({ type }) => type !== "space")) {
    if (!first) writer.write("\n");
    first = node.type === "checkbox";
    if (node.type === "list") writeList(writer, node, indent);
    else writeBlock(writer, node);
  }
}

function writeInline(writer: Writer, { tokens, text, raw }: Node): void {
  if (tokens === undefined) writer.write(text ?? raw);
  for (const node of tokens ?? []) writeSpan(writer, node);
}

function writeSpan(writer: Writer, node: Node): void {
  switch (node.type) {
    case "strong":
      writer.mark({ type: "bold" }, () => writeInline(writer, node));
      break;
    case "em":
      writer.mark({ type: "italic" }, () => writeInline(writer, node));
      break;
    case "del":
      writer.mark({ type: "strikethrough" }, () => writeInline(writer, node));
      break;
    case "codespan":
      writer.mark({ type: "code" }, () => writer.write(node.text ?? ""));
      break;
    case "link":
      writeLink(writer, node);
      break;
    case "br":
      writer.write("\n");
      break;
    case "text":
    case "escape":
      writeInline(writer, node);
      break;
    default:
      writer.write(node.raw);
      break;
  }
}

/** Telegram finds addresses that stand in a text by itself, and refuses links to other places. */
function writeLink(writer: Writer, node: Node): void {
  const url = node.href ?? "";
  if (node.autolink === true || url === node.text) writer.write(node.text ?? url);
  else if (!/^(https?|tg|mailto):/i.test(url)) writer.write(node.raw);
  else writer.mark({ type: "text_link", url }, () => writeInline(writer, node));
}
