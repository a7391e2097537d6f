/** Agent communication: the pairs on the left, what two of them said on the right. */
import { useRef } from "preact/hooks";
import { goTo, place } from "../location/place.ts";
import { Conversation } from "./conversation.tsx";
import { readFilters } from "./filters.ts";
import { Help } from "./help.tsx";
import { useKeys } from "./keys.ts";
import { SideList } from "./side-list.tsx";
import { texts } from "./texts.ts";
import { usePairs } from "./use-pairs.ts";
import "./communication.css";
import "./conversation.css";
import "./transcript.css";

export function Page() {
  const { query } = place.value;
  const filters = readFilters(query);
  const known = usePairs();
  const help = useRef<HTMLDialogElement>(null);
  const page = useRef<HTMLDivElement>(null);
  const open = filters.a === "" || filters.b === "" ? null : pairKeyOf(filters.a, filters.b);
  const showHelp = () => help.current?.showModal();
  const within = (selector: string) => page.current?.querySelector<HTMLElement>(selector) ?? null;
  useKeys({
    find: () => (within(".find-open") ?? within(".side-search input"))?.click(),
    help: showHelp,
    date: () => openFoldOut(within('[data-fold-out="date"]')),
    pair: (step) => goToPair(page.current, step),
  });
  return (
    <div class="communication" ref={page} data-open={filters.a !== ""}>
      <h1 tabIndex={-1}>{texts.title}</h1>
      <div class="side">
        <SideList known={known} open={open} />
      </div>
      <Conversation filters={filters} known={known} onHelp={showHelp} />
      <Help dialog={help} />
    </div>
  );
}

function pairKeyOf(a: string, b: string): string {
  return a <= b ? `${a}|${b}` : `${b}|${a}`;
}

function openFoldOut(details: HTMLElement | null): void {
  if (!(details instanceof HTMLDetailsElement)) return;
  details.open = true;
  details.querySelector<HTMLElement>("input")?.focus();
}

function goToPair(page: HTMLElement | null, step: 1 | -1): void {
  const links = [...(page?.querySelectorAll<HTMLAnchorElement>("a.pair") ?? [])];
  const at = links.findIndex((link) => link.hasAttribute("aria-current"));
  const next = at < 0 ? links[0] : links[at + step];
  if (next === undefined) return;
  goTo(next.pathname + next.search);
  next.focus();
}
