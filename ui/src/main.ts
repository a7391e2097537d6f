import { fetchNewest, type Newest } from "./api.ts";
import { byId, element } from "./elements.ts";
import { followLive } from "./live.ts";
import type { Message } from "./message.ts";
import { messageList } from "./message-list.ts";
import { signInForm } from "./sign-in.ts";
import { language, texts } from "./texts.ts";
import { forgetToken, keepToken, takeToken } from "./token.ts";

const REFRESH_MS = 5_000;
const content = byId("content");
const status = byId("status");
const signOutButton = byId("sign-out");

/** Ends what the signed-in page does: refreshing and the live stream. */
let leave = new AbortController();

/** `data-state` names the page's state for styles and tests: the words change with the language. */
function show(state: string, statusText: string, ...nodes: readonly Node[]): void {
  document.body.dataset.state = state;
  status.textContent = statusText;
  content.replaceChildren(...nodes);
}

function showSignedOut(refused: boolean): void {
  leave.abort();
  forgetToken();
  signOutButton.hidden = true;
  const form = signInForm(refused, (token) => {
    keepToken(token);
    signIn(token);
  });
  show(refused ? "refused" : "signed-out", texts.signedOut, form);
  form.querySelector("input")?.focus();
}

function signIn(token: string): void {
  leave.abort();
  leave = new AbortController();
  show("loading", texts.loading);
  const refresh = refresher(token, leave.signal);
  refresh.now();
  void followLive(token, { onEvent: refresh.now, onState: refresh.setLive }, leave.signal);
  const timer = setInterval(refresh.now, REFRESH_MS);
  leave.signal.addEventListener("abort", () => clearInterval(timer));
  window.addEventListener("online", refresh.now, { signal: leave.signal });
  window.addEventListener("offline", refresh.now, { signal: leave.signal });
}

/** Fetches one at a time; what is asked for meanwhile is fetched once, afterwards. */
function refresher(token: string, signal: AbortSignal) {
  let live = false;
  let busy = false;
  let again = false;
  const now = async (): Promise<void> => {
    again = busy;
    if (busy) return;
    busy = true;
    const newest = await fetchNewest(token);
    busy = false;
    if (signal.aborted) return;
    showNewest(newest, live);
    if (again && newest.kind === "ok") await now();
  };
  const setLive = (open: boolean): void => {
    live = open;
    if (!signal.aborted) void now();
  };
  return { now: () => void now(), setLive };
}

function showNewest(newest: Newest, live: boolean): void {
  if (newest.kind === "refused") {
    showSignedOut(true);
    return;
  }
  signOutButton.hidden = false;
  if (newest.kind === "ok") showMessages(newest.messages, live ? texts.live : texts.polling);
  else showProblem(newest.kind);
}

function showMessages(messages: readonly Message[], statusText: string): void {
  const empty = messages.length === 0;
  const list = empty ? element("p", { className: "card", text: texts.empty }) : messageList(messages);
  show(empty ? "empty" : "messages", statusText, element("h2", { text: texts.newest }), list);
}

/** What was read before stays on the page. */
function showProblem(kind: "offline" | "failed"): void {
  document.body.dataset.state = kind;
  status.textContent = texts[kind];
}

document.documentElement.lang = language;
signOutButton.textContent = texts.signOut;
signOutButton.addEventListener("click", () => showSignedOut(false));
window.addEventListener("hashchange", start);
start();

function start(): void {
  const token = takeToken();
  if (token === null) showSignedOut(false);
  else signIn(token);
}
