/**
 * What an agent says, shown a line at a time while it is still speaking.
 * @param name the speaker as shown
 * @returns `say({step, attempt, text})` for each piece, `end()` when the agent turns to something else,
 *   `speaking()` whether a line of it stands on the screen or is on its way
 */
export function createSpeech({ screen, texts, elapsed }, name) {
  let spoken = "";
  let begun = false;
  let attempt = null;

  const show = (line) => {
    screen.event(begun ? null : elapsed(), begun ? "" : `${name}: `, line);
    begun = true;
  };
  return {
    say: (piece) => {
      const now = `${piece.step} ${piece.attempt}`;
      if (attempt !== null && attempt !== now && (begun || spoken !== "")) {
        // The engine asks again after a failed attempt: what was said before does not count.
        screen.event(elapsed(), "", texts.again(name));
        spoken = "";
        begun = false;
      }
      attempt = now;
      const lines = `${spoken}${piece.text}`.split("\n");
      spoken = lines.pop();
      for (const line of lines) show(line);
    },
    speaking: () => begun || spoken.trim() !== "",
    end: () => {
      if (spoken.trim() !== "") show(spoken);
      spoken = "";
      begun = false;
      attempt = null;
    },
  };
}
