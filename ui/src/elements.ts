interface Options {
  readonly className?: string;
  readonly text?: string;
  readonly children?: readonly Node[];
}

/** A new element; texts go in as text, never as HTML. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  options: Options = {},
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  if (options.className !== undefined) made.className = options.className;
  if (options.text !== undefined) made.textContent = options.text;
  made.append(...(options.children ?? []));
  return made;
}

/** The element of the page with that id; the page is wrong without it. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page lacks #${id}.`);
  return found;
}
