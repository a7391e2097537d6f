/** Which parts of a message are its text and which are attached. */

/** A message's structure as the server tells it. */
export interface BodyNode {
  readonly part?: string | undefined;
  readonly type: string;
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  readonly encoding?: string | undefined;
  readonly size?: number | undefined;
  readonly disposition?: string | undefined;
  readonly dispositionParameters?: Readonly<Record<string, string>> | undefined;
  readonly childNodes?: readonly BodyNode[] | undefined;
}

/** A part that can be fetched. */
export interface Leaf {
  readonly part: string;
  /** `type/subtype` in lower case. */
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly encoding: string;
  /** Bytes in the transfer encoding. */
  readonly size: number;
  /** Null when the message gives none. */
  readonly name: string | null;
}

export interface Layout {
  readonly plain: Leaf | null;
  readonly html: Leaf | null;
  readonly attachments: readonly Leaf[];
}

/** Parts and levels that are looked at; a message with more is an attack or a mistake. */
const MAX_PARTS = 200;
const MAX_DEPTH = 20;

/** The first plain and the first HTML text that are not attached; everything else, forwarded mails' parts too, is. */
export function layoutOf(root: BodyNode): Layout {
  const found: { leaf: Leaf; body: boolean }[] = [];
  walk(root, { depth: 0, inside: false }, found);
  const first = (type: string) => found.find(({ leaf, body }) => body && leaf.type === type)?.leaf ?? null;
  const plain = first("text/plain");
  const html = first("text/html");
  const attachments = found.map(({ leaf }) => leaf).filter((leaf) => leaf !== plain && leaf !== html);
  return { plain, html, attachments };
}

interface Where {
  readonly depth: number;
  /** Inside a mail that is attached to this one. */
  readonly inside: boolean;
}

function walk(node: BodyNode, where: Where, found: { leaf: Leaf; body: boolean }[]): void {
  if (where.depth > MAX_DEPTH || found.length >= MAX_PARTS) return;
  const type = node.type.toLowerCase();
  const attached = type === "message/rfc822";
  const children = node.childNodes ?? [];
  if (children.length === 0 || attached) {
    const leaf = leafOf(node, type);
    found.push({
      leaf,
      body: !where.inside && leaf.name === null && node.disposition?.toLowerCase() !== "attachment",
    });
  }
  for (const child of children) {
    // The only part of an attached mail has no number of its own there: it is the first below.
    const alone = attached && (child.childNodes ?? []).length === 0;
    walk(
      alone ? { ...child, part: `${node.part ?? "1"}.1` } : child,
      { depth: where.depth + 1, inside: where.inside || attached },
      found,
    );
  }
}

function leafOf(node: BodyNode, type: string): Leaf {
  const { parameters = {}, dispositionParameters = {} } = node;
  return {
    // A message without parts has only one, which the server numbers 1.
    part: node.part ?? "1",
    type,
    parameters,
    encoding: node.encoding?.toLowerCase() ?? "7bit",
    size: node.size ?? 0,
    name: dispositionParameters.filename ?? parameters.name ?? null,
  };
}

const TEXTS: readonly string[] = [
  "application/json",
  "application/xml",
  "application/ics",
  "application/x-yaml",
  "message/delivery-status",
];

/** Whether the part can be shown as text. */
export function isText({ type }: Leaf): boolean {
  return type.startsWith("text/") || TEXTS.includes(type);
}
