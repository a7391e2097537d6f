/** The view that the address names, loaded when it is first wanted. */
import { useComputed, useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { speak } from "../language/language.ts";
import { place, type View } from "../location/place.ts";
import { LoadingNote, ProblemNote } from "../parts/notes.tsx";

const LOADERS: Readonly<Record<View, () => Promise<{ readonly Page: ComponentType }>>> = {
  communication: () => import("../communication/page.tsx"),
  chain: () => import("../chain/page.tsx"),
  tasks: () => import("../tasks/page.tsx"),
  agents: () => import("../agents/page.tsx"),
  insight: () => import("../insight/page.tsx"),
  log: () => import("../log/page.tsx"),
};

const texts = speak(
  { missing: "This part of the page could not be loaded. Load the page anew." },
  { missing: "Dieser Teil der Seite konnte nicht geladen werden. Lade die Seite neu." },
);

export function CurrentView() {
  const view = useComputed(() => place.value.view).value;
  const page = useSignal<{ readonly view: View; readonly Page: ComponentType } | null>(null);
  const failed = useSignal(false);
  useEffect(() => {
    let wanted = true;
    failed.value = false;
    LOADERS[view]().then(
      ({ Page }) => {
        if (wanted) page.value = { view, Page };
      },
      () => {
        failed.value = wanted;
      },
    );
    return () => {
      wanted = false;
    };
  }, [view, page, failed]);
  useFocusOnArrival(page.value?.view === view ? view : null);
  if (failed.value)
    return (
      <ProblemNote
        problem={{ kind: "offline", code: "", message: texts.missing, issues: [] }}
        retry={() => location.reload()}
      />
    );
  if (page.value?.view !== view) return <LoadingNote />;
  const { Page } = page.value;
  return <Page />;
}

/** Whoever follows a link to another view finds the focus on its heading, not lost with the link. */
function useFocusOnArrival(arrived: View | null): void {
  const before = useRef<View | null>(null);
  useEffect(() => {
    if (arrived === null) return;
    const moved = before.current !== null && before.current !== arrived;
    before.current = arrived;
    if (moved) document.querySelector<HTMLElement>("main h1")?.focus();
  }, [arrived]);
}
