/** A button whose act asks once more. The dialog keeps the focus and gives it back. */
import { useId, useRef } from "preact/hooks";
import { texts } from "./texts.ts";

interface ConfirmProps {
  readonly label: string;
  readonly question: string;
  readonly yes: string;
  act(): void;
}

export function ConfirmButton({ label, question, yes, act }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  return (
    <>
      <button type="button" onClick={() => dialog.current?.showModal()}>
        {label}
      </button>
      <dialog ref={dialog} class="confirm" aria-labelledby={id}>
        <p id={id}>{question}</p>
        <p class="buttons">
          <button
            type="button"
            class="primary"
            onClick={() => {
              dialog.current?.close();
              act();
            }}
          >
            {yes}
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            {texts.cancel}
          </button>
        </p>
      </dialog>
    </>
  );
}
