/** What may be done with a task now, as a menu on its card. */
import { useId, useRef } from "preact/hooks";
import type { Task } from "../api/types.ts";
import { Icon } from "../parts/icon.tsx";
import { ACT_KEYS, type Act, allowedActs } from "./rules.ts";
import { beginAct } from "./task-keys.ts";
import { texts } from "./texts.ts";

export function ActMenu({ task }: { task: Task }) {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const choose = (act: Act) => {
    menu.current?.hidePopover();
    beginAct(task.taskId, act);
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class="bare menu-button"
        aria-haspopup="menu"
        aria-label={texts.actsOf(task.title)}
        popovertarget={id}
      >
        <Icon name="more" />
      </button>
      <div
        ref={menu}
        id={id}
        class="menu"
        role="menu"
        aria-label={texts.actsOf(task.title)}
        popover="auto"
        onToggle={(event) => event.newState === "open" && open(event.currentTarget, button.current)}
        onKeyDown={walk}
      >
        {allowedActs(task).map((act) => (
          <button
            key={act}
            type="button"
            role="menuitem"
            tabIndex={-1}
            aria-keyshortcuts={ACT_KEYS[act]}
            onClick={() => choose(act)}
          >
            {texts.acts[act]}
            <span class="shortcut" aria-hidden="true">
              {ACT_KEYS[act].toUpperCase()}
            </span>
          </button>
        ))}
      </div>
    </>
  );
}

/** Beside its button, whichever way there is room. */
function open(menu: HTMLElement, button: HTMLElement | null): void {
  if (button === null) return;
  const at = button.getBoundingClientRect();
  const { offsetHeight, offsetWidth } = menu;
  const below = at.bottom + offsetHeight < window.innerHeight;
  menu.style.top = `${Math.max(0, below ? at.bottom : at.top - offsetHeight)}px`;
  menu.style.left = `${Math.max(4, at.right - offsetWidth)}px`;
  menu.querySelector("button")?.focus();
}

function walk(event: KeyboardEvent & { readonly currentTarget: HTMLDivElement }): void {
  const items = [...event.currentTarget.querySelectorAll("button")];
  const at = [...items].findIndex((item) => item.matches(":focus"));
  const to: Readonly<Record<string, number>> = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: (at + items.length - 1) % items.length,
    Home: 0,
    End: items.length - 1,
  };
  const next = to[event.key];
  if (next !== undefined) {
    event.preventDefault();
    items[next]?.focus();
  } else if (event.key === "Tab") event.currentTarget.hidePopover();
}
