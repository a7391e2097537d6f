import { useEffect, useRef } from "preact/hooks";
import { speak } from "../language/language.ts";
import { session, signIn } from "./session.ts";

const texts = speak(
  {
    title: "Sign in",
    hint: "Enter a token of the instance (API_TOKEN, or one made with npm run token), or open the link that npm start printed.",
    token: "Token",
    signIn: "Sign in",
    refused: {
      token: "The token was refused: it is wrong, was revoked or has expired.",
      role: "Cloudflare Access let you in, but this instance gives you no role. Ask whoever runs it, or use a token.",
    },
  },
  {
    title: "Anmelden",
    hint: "Gib ein Token der Instanz ein (API_TOKEN oder eines von npm run token) oder öffne den Link, den npm start ausgegeben hat.",
    token: "Token",
    signIn: "Anmelden",
    refused: {
      token: "Das Token wurde abgelehnt: Es ist falsch, widerrufen oder abgelaufen.",
      role: "Cloudflare Access hat dich eingelassen, aber diese Instanz gibt dir keine Rolle. Frage, wer sie betreibt, oder nimm ein Token.",
    },
  },
);

export function SignIn() {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const refused = session.value.state === "signed-out" ? session.value.refused : null;
  const submit = (event: Event) => {
    event.preventDefault();
    const token = input.current?.value.trim() ?? "";
    if (token !== "") signIn(token);
  };
  return (
    <form class="sign-in" onSubmit={submit}>
      <h1>{texts.title}</h1>
      <p>{texts.hint}</p>
      {refused !== null && (
        <p class="problem" role="alert">
          {texts.refused[refused]}
        </p>
      )}
      <label>
        {texts.token}
        <input ref={input} type="password" name="token" required autocomplete="current-password" />
      </label>
      <button type="submit" class="primary">
        {texts.signIn}
      </button>
    </form>
  );
}
