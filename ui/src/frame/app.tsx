import { useEffect } from "preact/hooks";
import { api, call } from "../api/client.ts";
import { followLive, onLive, probe } from "../api/live.ts";
import { loadTeam } from "../api/team.ts";
import { Announcer } from "../parts/announce.tsx";
import { ProblemNote } from "../parts/notes.tsx";
import { comebacks, connection, session, setReachable, signOut } from "../session/session.ts";
import { SignIn } from "../session/sign-in.tsx";
import { Connection } from "./connection.tsx";
import { Navigation } from "./navigation.tsx";
import { Settings } from "./settings.tsx";
import { CurrentView } from "./view.tsx";

/** `data-session` names the page's state for styles and tests: the words change with the language. */
export function App() {
  const { state } = session.value;
  useEffect(() => {
    document.body.dataset.session = state;
    if (state === "asking") void askForSession();
  }, [state]);
  if (state === "asking")
    return connection.value === "offline" ? (
      <main>
        <ProblemNote problem={{ kind: "offline", code: "", message: "", issues: [] }} />
      </main>
    ) : null;
  if (state === "signed-out")
    return (
      <div class="gatehouse">
        <header>
          <p class="brand">Parley</p>
        </header>
        <main>
          <SignIn />
        </main>
        <footer>
          <Settings />
        </footer>
      </div>
    );
  return <SignedIn />;
}

/** Behind Cloudflare Access the browser is signed in already. */
async function askForSession(): Promise<void> {
  const answer = await call(api.agents.$get());
  if (answer.ok) session.value = { state: "signed-in", token: null };
  else if (answer.problem.kind === "refused") signOut(null);
  else if (answer.problem.kind === "forbidden") signOut("role");
  else setTimeout(() => void askForSession(), 2_000);
}

function SignedIn() {
  useEffect(() => {
    const leaving = new AbortController();
    const stop = onLive((event) => {
      if (event.type === "reset") comebacks.value += 1;
    });
    void followLive(leaving.signal);
    const { signal } = leaving;
    window.addEventListener("offline", () => setReachable(false), { signal });
    window.addEventListener("online", () => void probe(signal), { signal });
    return () => {
      stop();
      leaving.abort();
    };
  }, []);
  const comeback = comebacks.value;
  useEffect(() => void loadTeam(), [comeback]);
  return (
    <div class="frame">
      <header class="rail">
        <p class="brand">Parley</p>
        <Navigation />
        <Connection />
        <Settings />
      </header>
      <main>
        <CurrentView />
      </main>
      <Announcer />
    </div>
  );
}
