/** Text of agents and people: Markdown once its renderer is there, until then as it was written. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

type Render = (source: string) => DocumentFragment;
let renderer: Promise<Render> | null = null;
let loaded: { readonly run: Render } | null = null;

/** @param text from outside: nothing in it becomes markup beyond the sanitised subset */
export function RichText({ text }: { text: string }) {
  const element = useRef<HTMLDivElement>(null);
  const render = useRenderer(text);
  // Before the page is painted: a text that came a frame later would move what is being read.
  useLayoutEffect(() => {
    if (render === null) element.current?.replaceChildren(text);
    else element.current?.replaceChildren(render(text));
  }, [text, render]);
  return <div ref={element} class={render === null ? "plain-text" : "rich-text"} dir="auto" />;
}

/** Texts without any mark-up are shown as they are, and a page that has only such loads no renderer. */
const MARKS = /[*_`#>|[\]~<]|^\s*(?:[-+]|\d+[.)])\s|https?:/m;
/** A parser's time for more is felt; such texts are shown as they were written. */
const MAX_RICH_CHARS = 100_000;
/** Quotes and lists as deep inside each other are nobody's message, and the parser goes down into each. */
const TOO_DEEP = /^(?:[ \t]*(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])){40}/m;

function useRenderer(text: string): Render | null {
  const wanted = text.length <= MAX_RICH_CHARS && MARKS.test(text) && !TOO_DEEP.test(text);
  const [render, setRender] = useState(loaded);
  useEffect(() => {
    if (!wanted || render !== null) return;
    renderer ??= import("./markdown.ts").then((module) => module.renderMarkdown);
    renderer.then(
      (run) => {
        loaded ??= { run };
        setRender(loaded);
      },
      () => {
        renderer = null;
      },
    );
  }, [wanted, render]);
  return wanted ? (render?.run ?? null) : null;
}
