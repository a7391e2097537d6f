/**
 * How often one thread is answered, and one person written to, in an hour. Automatic mail is recognised by its marks;
 * a loop over a mailbox that forwards without any is only recognised by going round, and one that a model keeps going
 * with mail that answers nothing only by whom it goes to.
 */
import { sha256Hex, type ToolState } from "../../core/tool.ts";
import { addressKey } from "../../protocols/smtp/address.ts";

export const MAX_REPLIES_PER_HOUR = 5;
export const MAX_SENDS_PER_HOUR = 20;
const HOUR_MS = 3_600_000;
/** Keys are `sent/<time>/<whom>/<which>`: one list says all of them. */
const SENT = "sent/";
const TIME_DIGITS = 15;
const HASH_CHARS = 32;

interface Sending {
  /** The thread that is answered; null for mail that answers nothing. */
  readonly root: string | null;
  readonly recipients: readonly string[];
}

/** A thread or a person, hashed: ids and addresses were chosen outside. */
interface Subject {
  readonly hash: string;
  readonly kind: "thread" | "recipient";
}

/**
 * Takes one of the hour's mails of the thread and of each recipient, or none at all: then it says what is used up.
 * Each is written down before it is counted, so that of two at the same time both count. Forgets what is older.
 */
export async function takeSend(
  state: ToolState,
  { root, recipients }: Sending,
  now: number,
): Promise<Subject["kind"] | null> {
  const people = [...new Set(recipients.map(addressKey))];
  const subjects = await Promise.all([
    ...(root === null ? [] : [subjectOf("thread", root)]),
    ...people.map((address) => subjectOf("recipient", address)),
  ]);
  const which = crypto.randomUUID();
  const own = subjects.map(({ hash }) =>
    [SENT + String(now).padStart(TIME_DIGITS, "0"), hash, which].join("/"),
  );
  for (const key of own) await state.set(key, "");
  const lately = await forgetOld(state, now);
  const usedUp = subjects.find((subject) => isOver(lately, subject));
  if (usedUp === undefined) return null;
  for (const key of own) await state.delete(key);
  return usedUp.kind;
}

const MOST: Readonly<Record<Subject["kind"], number>> = {
  thread: MAX_REPLIES_PER_HOUR,
  recipient: MAX_SENDS_PER_HOUR,
};

function isOver(keys: readonly string[], { hash, kind }: Subject): boolean {
  return keys.filter((key) => key.includes(`/${hash}/`)).length > MOST[kind];
}

/** The keys of the last hour. */
async function forgetOld(state: ToolState, now: number): Promise<string[]> {
  const keys = await state.list(SENT);
  const isOld = (key: string) => Number(key.slice(SENT.length, SENT.length + TIME_DIGITS)) <= now - HOUR_MS;
  for (const key of keys.filter(isOld)) await state.delete(key);
  return keys.filter((key) => !isOld(key));
}

async function subjectOf(kind: Subject["kind"], name: string): Promise<Subject> {
  return { hash: (await sha256Hex(`${kind}:${name}`)).slice(0, HASH_CHARS), kind };
}
