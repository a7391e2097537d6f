/** Where one is: everything that is chosen stands in the address, so that a view can be sent as a link. */
import { signal } from "@preact/signals";

export const VIEWS = ["communication", "chain", "tasks", "agents", "insight", "log"] as const;
export type View = (typeof VIEWS)[number];

export interface Place {
  readonly view: View;
  /** The part after the view: a chain's or an agent's id. */
  readonly id: string | null;
  readonly query: Readonly<Record<string, string>>;
}

export const place = signal<Place>(readPlace(location));

/** @param address anything with path and query, as `location` */
export function readPlace(address: { readonly pathname: string; readonly search: string }): Place {
  const [name = "", ...rest] = address.pathname
    .split("/")
    .filter((part) => part !== "")
    .map(decodePart);
  const view = VIEWS.find((known) => known === name) ?? "communication";
  return {
    view,
    id: rest.length === 0 ? null : rest.join("/"),
    query: Object.fromEntries(new URLSearchParams(address.search)),
  };
}

/** The address of a place; empty values are left out. */
export function addressOf(target: { view: View; id?: string | null; query?: Query }): string {
  const path = target.id == null ? `/${target.view}` : `/${target.view}/${encodeURIComponent(target.id)}`;
  const entries = Object.entries(target.query ?? {}).flatMap(([name, value]) =>
    value == null || value === "" ? [] : [[name, value]],
  );
  return entries.length === 0 ? path : `${path}?${new URLSearchParams(entries)}`;
}

/** Null and empty remove a value. */
export type Query = Readonly<Record<string, string | null | undefined>>;

/** Goes there. @param how `replace` leaves no step back in the history, for what changes as one types */
export function goTo(address: string, how: "push" | "replace" = "push"): void {
  if (how === "push") history.pushState(null, "", address);
  else history.replaceState(null, "", address);
  place.value = readPlace(location);
}

/** Stays in the view and changes some of its query. */
export function changeQuery(changes: Query, how: "push" | "replace" = "push"): void {
  const { view, id, query } = place.peek();
  goTo(addressOf({ view, id, query: { ...query, ...changes } }), how);
}

/** Follows links inside the page without loading it anew, and the browser's back and forward. */
export function followLinks(): void {
  window.addEventListener("popstate", () => {
    place.value = readPlace(location);
  });
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    if (!(link instanceof HTMLAnchorElement) || !isPlain(event) || !isOurs(link)) return;
    event.preventDefault();
    goTo(link.pathname + link.search);
  });
}

function isPlain(event: MouseEvent): boolean {
  const modified = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
  return event.button === 0 && !modified && !event.defaultPrevented;
}

function isOurs(link: HTMLAnchorElement): boolean {
  const own = link.origin === location.origin && !link.pathname.startsWith("/api/");
  return own && link.target === "" && !link.hasAttribute("download");
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
