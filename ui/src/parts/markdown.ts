/**
 * Markdown to a piece of the page, element by element from the parser's tokens. No HTML is ever made or read, so
 * there is nothing to sanitise: what is not listed here cannot come to be.
 */
import { Lexer, type Token } from "marked";

/** Text with as many elements inside each other is nobody's message. */
const MAX_DEPTH = 40;

/** No images, and links to the web and to mail only. HTML in a message is shown as it was written. */
export function renderMarkdown(source: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  fragment.replaceChildren(...renderSafely(source));
  return fragment;
}

/** The parser goes down into what is nested: where that is more than it can, the text stays as it was written. */
function renderSafely(source: string): Node[] {
  try {
    return render(new Lexer({ gfm: true, breaks: true }).lex(source), 0);
  } catch {
    return [textOf(source)];
  }
}

function render(tokens: readonly Token[], depth: number): Node[] {
  return tokens.flatMap((token) => (depth > MAX_DEPTH ? [textOf(token.raw)] : renderOne(token, depth + 1)));
}

function renderOne(token: Token, depth: number): Node[] {
  const inside = () => render(childrenOf(token), depth);
  switch (token.type) {
    case "space":
    case "def":
      return [];
    case "heading":
      return [element(`h${Math.min(6, token.depth)}`, inside())];
    case "paragraph":
      return [element("p", inside())];
    case "blockquote":
    case "strong":
    case "em":
    case "del":
      return [element(token.type, inside())];
    case "list":
      return [list({ ordered: token.ordered, start: token.start }, inside())];
    case "list_item":
      return [element("li", inside())];
    case "table":
      return [table({ header: token.header, rows: token.rows }, depth)];
    case "code":
      return [element("pre", [element("code", [textOf(token.text)])])];
    case "codespan":
      return [element("code", [textOf(token.text)])];
    case "hr":
    case "br":
      return [element(token.type, [])];
    case "checkbox":
      return [textOf(token.checked ? "[x] " : "[ ] ")];
    case "link":
      return link(token.href, inside());
    case "text":
      return "tokens" in token && token.tokens !== undefined ? inside() : [textOf(token.text)];
    case "escape":
      return [textOf(token.text)];
    default:
      // HTML, images, and whatever a later parser may know.
      return [textOf(token.raw)];
  }
}

function childrenOf(token: Token): readonly Token[] {
  if ("items" in token && token.type === "list") return token.items;
  return "tokens" in token ? (token.tokens ?? []) : [];
}

function list({ ordered, start }: { ordered: unknown; start: unknown }, items: readonly Node[]): Node {
  const made = element(ordered === true ? "ol" : "ul", items);
  if (made instanceof HTMLOListElement && typeof start === "number") made.start = start;
  return made;
}

interface Cell {
  readonly tokens: readonly Token[];
}

function table({ header, rows }: { header: Cell[]; rows: Cell[][] }, depth: number): Node {
  const row = (tag: "th" | "td", cells: readonly Cell[]) =>
    element(
      "tr",
      cells.map((cell) => element(tag, render(cell.tokens, depth))),
    );
  const head = element("thead", [row("th", header)]);
  const body = element(
    "tbody",
    rows.map((cells) => row("td", cells)),
  );
  return element("table", [head, body]);
}

const LINKS = /^(?:https?|mailto):/i;

/** An address of another kind is no link: its words stay. */
function link(href: unknown, words: readonly Node[]): Node[] {
  if (typeof href !== "string" || !LINKS.test(href) || !URL.canParse(href)) return [...words];
  const made = document.createElement("a");
  made.href = href;
  made.rel = "noopener noreferrer nofollow";
  made.target = "_blank";
  made.replaceChildren(...words);
  return [made];
}

function element(tag: string, children: readonly Node[]): HTMLElement {
  const made = document.createElement(tag);
  made.replaceChildren(...children);
  return made;
}

function textOf(text: unknown): Text {
  return document.createTextNode(String(text));
}
