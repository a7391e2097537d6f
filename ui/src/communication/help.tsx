/** The list of keys. */
import type { RefObject } from "preact";
import { words } from "../language/words.ts";
import { allowSingleKeys, singleKeys } from "./keys.ts";
import { texts } from "./texts.ts";

const KEYS: readonly (readonly [readonly string[], Exclude<keyof typeof texts.keys, "title" | "single">])[] =
  [
    [["PageDown", "PageUp"], "pages"],
    [["Ctrl+End", "Ctrl+Home"], "out"],
    [["/"], "find"],
    [["j", "k"], "pairs"],
    [["g d"], "date"],
    [["?"], "help"],
    [["Esc"], "escape"],
  ];

export function Help({ dialog }: { dialog: RefObject<HTMLDialogElement | null> }) {
  return (
    <dialog class="help" ref={dialog} aria-labelledby="help-title">
      <h2 id="help-title">{texts.keys.title}</h2>
      <dl>
        {KEYS.map(([keys, name]) => (
          <div key={name}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{texts.keys[name]}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={singleKeys.value}
          onChange={(event) => allowSingleKeys(event.currentTarget.checked)}
        />
        {texts.keys.single}
      </label>
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          dialog.current?.close();
        }}
      >
        <button type="submit" class="primary">
          {words.close}
        </button>
      </form>
    </dialog>
  );
}
