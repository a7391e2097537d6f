/** Mail that no person wrote. Two machines that answer each other never stop, so nothing of it is answered. */
import { addressKey, normaliseAddress } from "./address.ts";
import { AUTO_REPLY_MARKS } from "./automatic-marks.ts";

export type AutomaticSign =
  | "auto_submitted"
  | "precedence"
  | "mailing_list"
  | "auto_response_suppressed"
  | "auto_reply"
  | "null_return_path"
  | "report"
  | "mailer_daemon"
  | "own_address";

const BULK: readonly string[] = ["bulk", "list", "junk", "auto_reply"];
const DAEMONS: readonly string[] = ["mailer-daemon", "mail-daemon"];

/** What of a message is looked at. */
export interface AutomaticMarks {
  readonly from: readonly { readonly address: string }[];
  /** Names in lower case, values unfolded, in order. */
  readonly headers: readonly { readonly key: string; readonly value: string }[];
}

/** By which sign a message is automatic; null when a person may have written it. `own` are the agent's addresses. */
export function automaticSign(mail: AutomaticMarks, own: readonly string[]): AutomaticSign | null {
  const values = (name: string) =>
    mail.headers.filter(({ key }) => key === name).map(({ value }) => value.trim().toLowerCase());
  const has = (name: string) => values(name).length > 0;
  if (values("auto-submitted").some((value) => !/^no\b/.test(value))) return "auto_submitted";
  if (values("precedence").some((value) => BULK.includes(value))) return "precedence";
  if (has("list-id")) return "mailing_list";
  if (values("x-auto-response-suppress").some((value) => value !== "none")) return "auto_response_suppressed";
  if (AUTO_REPLY_MARKS.some(has)) return "auto_reply";
  if (values("return-path").some((value) => value === "<>")) return "null_return_path";
  if (values("content-type").some((value) => value.startsWith("multipart/report"))) return "report";
  return signOfSender(mail, own);
}

function signOfSender({ from }: AutomaticMarks, own: readonly string[]): AutomaticSign | null {
  for (const { address } of from) {
    const key = addressKey(normaliseAddress(address) ?? address);
    if (own.includes(key)) return "own_address";
    if (DAEMONS.includes(key.split("@")[0] ?? "")) return "mailer_daemon";
  }
  return null;
}

/** As the end of a sentence about a message. */
export const AUTOMATIC_SIGNS: Readonly<Record<AutomaticSign, string>> = {
  auto_submitted: "it says so (Auto-Submitted)",
  precedence: "it is bulk mail (Precedence)",
  mailing_list: "it comes from a mailing list (List-Id)",
  auto_response_suppressed: "it asks for no automatic answers (X-Auto-Response-Suppress)",
  auto_reply: "it is an automatic reply",
  null_return_path: "it has an empty return path, as bounces have",
  report: "it is a delivery report",
  mailer_daemon: "a mail server sent it",
  own_address: "it comes from your own address",
};
