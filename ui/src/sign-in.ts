import { element } from "./elements.ts";
import { texts } from "./texts.ts";

/** The form that asks for the token; `onToken` gets what was typed, trimmed and not empty. */
export function signInForm(refused: boolean, onToken: (token: string) => void): HTMLElement {
  const input = element("input");
  input.type = "password";
  input.name = "token";
  input.required = true;
  input.autocomplete = "current-password";
  const button = element("button", { text: texts.signIn });
  const label = element("label", { children: [element("span", { text: texts.token }), input] });
  const problem = element("p", { className: "problem", text: refused ? texts.refused : "" });
  problem.setAttribute("role", "alert");
  const form = element("form", {
    className: "card",
    children: [
      element("h2", { text: texts.signInTitle }),
      element("p", { text: texts.signInHint }),
      ...(refused ? [problem] : []),
      label,
      button,
    ],
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const token = input.value.trim();
    if (token !== "") onToken(token);
  });
  return form;
}
