import { useEffect, useRef } from "preact/hooks";
import { speak } from "../language/language.ts";
import { session, signIn } from "./session.ts";

const texts = speak(
  {
    title: "Sign in",
    hint: "Enter the instance's token (API_TOKEN), or open the link that npm start printed.",
    token: "Token",
    signIn: "Sign in",
    refused: "The token was refused. Check it against API_TOKEN and try again.",
  },
  {
    title: "Anmelden",
    hint: "Gib das Token der Instanz (API_TOKEN) ein oder öffne den Link, den npm start ausgegeben hat.",
    token: "Token",
    signIn: "Anmelden",
    refused: "Das Token wurde abgelehnt. Vergleiche es mit API_TOKEN und versuche es noch einmal.",
  },
);

export function SignIn() {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const refused = session.value.state === "signed-out" && session.value.refused;
  const submit = (event: Event) => {
    event.preventDefault();
    const token = input.current?.value.trim() ?? "";
    if (token !== "") signIn(token);
  };
  return (
    <form class="sign-in" onSubmit={submit}>
      <h1>{texts.title}</h1>
      <p>{texts.hint}</p>
      {refused && (
        <p class="problem" role="alert">
          {texts.refused}
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
