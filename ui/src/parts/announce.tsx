/** What a screen reader is told without moving the focus. */
import { signal } from "@preact/signals";

const announced = signal("");

/** Says it once, politely. */
export function announce(text: string): void {
  // The same words twice would not be read again; a no-break space makes them new.
  announced.value = announced.peek() === text ? `${text}\u00a0` : text;
}

/** The region that speaks; there is one on the page, outside of what it speaks about. */
export function Announcer() {
  return (
    <p class="unseen" role="status">
      {announced}
    </p>
  );
}
