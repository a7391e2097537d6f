/** A button with a small panel below it; Escape and a click elsewhere close it. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Icon, type IconName } from "../parts/icon.tsx";

interface FoldOutProps {
  readonly icon: IconName;
  readonly label: string;
  /** For keys and tests. */
  readonly name: string;
  readonly children: ComponentChildren;
}

export function FoldOut({ icon, label, name, children }: FoldOutProps) {
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const elsewhere = (event: Event) => {
      const element = details.current;
      if (element !== null && event.target instanceof Node && !element.contains(event.target))
        element.open = false;
    };
    document.addEventListener("pointerdown", elsewhere);
    return () => document.removeEventListener("pointerdown", elsewhere);
  }, []);
  return (
    <details
      class="fold-out"
      ref={details}
      data-fold-out={name}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !event.currentTarget.open) return;
        event.stopPropagation();
        closeFoldOut(event.currentTarget);
      }}
    >
      <summary title={label} aria-label={label}>
        <Icon name={icon} />
      </summary>
      <div class="fold-out-panel">{children}</div>
    </details>
  );
}

/** Closes the panel that holds the element and hands the focus back to its button. */
export function closeFoldOut(within: HTMLElement): void {
  const details = within.closest("details");
  if (details === null) return;
  details.open = false;
  details.querySelector("summary")?.focus();
}
