import { speak } from "../language/language.ts";
import { connection } from "../session/session.ts";

const texts = speak(
  {
    connecting: "Connecting ...",
    online: "Live",
    offline: "The instance does not answer. Reconnecting ...",
  },
  {
    connecting: "Verbinde ...",
    online: "Live",
    offline: "Die Instanz antwortet nicht. Verbinde neu ...",
  },
);

/** Whether what one sees is up to date. */
export function Connection() {
  return (
    <p class="connection" role="status" data-connection={connection.value}>
      {texts[connection.value]}
    </p>
  );
}
