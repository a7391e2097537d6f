/**
 * A message with what was said before it: the message comes last, the transcript was made outside and stands in a
 * frame of untrusted content. No I/O.
 */
import { untrustedJson, untrustedLines } from "./untrusted.ts";

export interface Said {
  readonly role: string;
  readonly content: string;
}

export interface FramedInput {
  readonly question: string;
  /** Oldest first. */
  readonly transcript: readonly Said[];
}

/** What the frame's own words and the note on a cut take, rounded up. */
const FRAME_CHARS = 600;

export interface TranscriptFrame {
  /** A sentence on where the transcript is from. */
  readonly intro: string;
  readonly source: string;
}

/** Stands between the frame and the question. */
const QUESTION_FOLLOWS = "The message to answer:";

/** `chars` is how much of a message the agent's model gets to see: the question comes last and must be in it. */
export function framedInput(
  { question, transcript }: FramedInput,
  chars: number,
  frame: TranscriptFrame,
): string {
  if (transcript.length === 0) return question;
  const { lines, leftOut } = fitting(transcript, chars - question.length - FRAME_CHARS);
  return [
    frame.intro,
    untrustedLines([...(leftOut === 0 ? [] : [`{"left_out":${leftOut}}`]), ...lines], frame.source),
    "",
    QUESTION_FOLLOWS,
    question,
  ].join("\n");
}

/** The question of an input that was framed so; any other input as it is. */
export function questionOf(input: string, { intro }: TranscriptFrame): string {
  // The first end of a frame is the real one: what stands within cannot hold another.
  const end = `\n</untrusted_content>\n\n${QUESTION_FOLLOWS}\n`;
  const at = input.startsWith(`${intro}\n`) ? input.indexOf(end) : -1;
  return at === -1 ? input : input.slice(at + end.length);
}

/** System messages first, then the newest; shown in their order. */
function fitting(transcript: readonly Said[], budget: number) {
  const entries = transcript.map(({ role, content }, index) => ({
    index,
    isSystem: role === "system" || role === "developer",
    line: untrustedJson({ role, content }),
  }));
  const byWeight = [
    ...entries.filter(({ isSystem }) => isSystem),
    ...entries.filter(({ isSystem }) => !isSystem).reverse(),
  ];
  let left = budget;
  const kept = new Set<number>();
  for (const { index, line } of byWeight) {
    left -= line.length + 1;
    if (left < 0) break;
    kept.add(index);
  }
  const lines = entries.filter(({ index }) => kept.has(index)).map(({ line }) => line);
  return { lines, leftOut: entries.length - lines.length };
}
