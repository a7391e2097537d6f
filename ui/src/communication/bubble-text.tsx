/** A message's text: folded when long, loaded whole on demand. */
import { useState } from "preact/hooks";
import { formatCount } from "../language/format.ts";
import { words } from "../language/words.ts";
import { RichText } from "../parts/rich-text.tsx";
import { beginningOf, isLong, PIECE_CHARS } from "./long-text.ts";
import { readWhole } from "./read-messages.ts";
import { keyOf, type Row } from "./row.ts";
import { texts } from "./texts.ts";
import { isUnfolded, toggleFolded } from "./unfolded.ts";

export function BubbleText({ row }: { row: Row }) {
  const long = row.truncated || isLong(row.content);
  const folded = long && !isUnfolded(row.uid);
  return (
    <>
      <div class="text" data-folded={folded}>
        {folded ? <RichText text={beginningOf(row.content)} /> : <WholeText row={row} />}
      </div>
      {long && (
        <button type="button" class="bare fold" aria-expanded={!folded} onClick={() => toggleFolded(row.uid)}>
          {folded ? words.more : words.less}
        </button>
      )}
    </>
  );
}

/** Very long texts come in pieces: what nobody reads need not be laid out. */
function WholeText({ row }: { row: Row }) {
  const [whole, setWhole] = useState<string | null>(row.truncated ? null : row.content);
  const [pieces, setPieces] = useState(1);
  const [state, setState] = useState<"idle" | "loading" | "failed">("idle");
  const load = async (button: HTMLElement) => {
    setState("loading");
    const answer = await readWhole(keyOf(row));
    setState(answer.ok ? "idle" : "failed");
    if (!answer.ok) return;
    // The button goes away: the message keeps the focus.
    button.closest("article")?.focus({ preventScroll: true });
    setWhole(answer.data.content);
  };
  if (whole === null)
    return (
      <>
        <RichText text={row.content} />
        <p class="rest">
          <button
            type="button"
            aria-disabled={state === "loading"}
            onClick={(event) => void load(event.currentTarget)}
          >
            {state === "loading" ? words.loading : texts.loadWhole}
          </button>
          {state === "failed" && <span role="alert">{texts.wholeFailed}</span>}
        </p>
      </>
    );
  const shown = beginningOf(whole, pieces * PIECE_CHARS);
  return (
    <>
      <RichText text={shown} />
      {shown.length < whole.length && (
        <p class="rest">
          <button type="button" onClick={() => setPieces(pieces + 1)}>
            {texts.nextPiece}
          </button>
          <span class="quiet">{texts.shownOf(formatCount(shown.length), formatCount(whole.length))}</span>
        </p>
      )}
    </>
  );
}
