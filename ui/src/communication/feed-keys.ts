/** Keys within the feed, as its pattern has them: page by message, and the ways out. */
export function moveInFeed(event: KeyboardEvent, scroller: HTMLElement | null): void {
  const article = event.target instanceof Element ? event.target.closest("article") : null;
  if (article === null || scroller === null || event.altKey || event.metaKey) return;
  if (event.key === "PageDown" || event.key === "PageUp") {
    event.preventDefault();
    const rows = [...scroller.querySelectorAll<HTMLElement>("article")];
    const next = rows[rows.indexOf(article) + (event.key === "PageDown" ? 1 : -1)];
    if (next === undefined) return;
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  } else if (event.ctrlKey && (event.key === "Home" || event.key === "End")) {
    event.preventDefault();
    leaveFeed(scroller, event.key);
  }
}

const CONTROLS = "a[href], button:not(:disabled), input, select, summary";

/** To the last control before the feed or the first one behind it. */
function leaveFeed(scroller: HTMLElement, key: "Home" | "End"): void {
  const feed = scroller.querySelector(".feed");
  if (feed === null) return;
  const outside = [...document.querySelectorAll<HTMLElement>(CONTROLS)].filter(
    (element) => !feed.contains(element) && element.offsetParent !== null,
  );
  const behind = (element: HTMLElement) =>
    (feed.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  const next = key === "End" ? outside.find(behind) : outside.findLast((element) => !behind(element));
  next?.focus();
}
