/** How well findings match what was planted. */
import type { Finding, FindingCode } from "../../../core/analysis/finding.ts";

export interface Planted {
  readonly code: FindingCode;
  /** The finding's id after its code; of questions and exchanges a name, and `uids` says which messages. */
  readonly key: string;
  readonly uids?: readonly string[];
}

export interface Score {
  readonly planted: number;
  readonly found: number;
  readonly findings: number;
  readonly right: number;
  readonly recall: number;
  readonly precision: number;
  /** Recall by message: of the questions that were repeated, how many stand in the finding of theirs. */
  readonly coverage: number;
  readonly missed: readonly string[];
  readonly wrong: readonly string[];
}

/** `uidOf` names the message of an id. */
export function scoreOf(
  findings: readonly Finding[],
  planted: readonly Planted[],
  uidOf: (id: number) => string,
): Score {
  const matches = (finding: Finding, each: Planted) => isSame(finding, each, uidOf);
  const missed = planted.filter((each) => !findings.some((finding) => matches(finding, each)));
  const wrong = findings.filter((finding) => !planted.some((each) => matches(finding, each)));
  const questions = planted.filter(({ code }) => code === "repeated_question" || code === "answered_before");
  const asked = questions.flatMap(({ uids = [] }) => uids);
  const told = new Set(
    questions.flatMap((each) =>
      findings
        .filter((finding) => matches(finding, each))
        .flatMap(({ messageIds }) => messageIds.map(uidOf).filter((uid) => each.uids?.includes(uid))),
    ),
  );
  return {
    planted: planted.length,
    found: planted.length - missed.length,
    findings: findings.length,
    right: findings.length - wrong.length,
    recall: (planted.length - missed.length) / planted.length,
    precision: findings.length === 0 ? 1 : (findings.length - wrong.length) / findings.length,
    coverage: told.size / asked.length,
    missed: missed.map(({ code, key }) => `${code}:${key}`),
    wrong: wrong.map(({ id, text, example }) => `${id} ${text} ${example?.question ?? ""}`),
  };
}

function isSame(finding: Finding, planted: Planted, uidOf: (id: number) => string): boolean {
  const { uids } = planted;
  if (uids === undefined) return finding.id === `${planted.code}:${planted.key}`;
  const kind = (code: FindingCode) => (code === "answered_before" ? "repeated_question" : code);
  if (kind(finding.code) !== kind(planted.code)) return false;
  const own = finding.messageIds.filter((id) => uids.includes(uidOf(id))).length;
  // An ordinary message may stand at the border of an exchange; among questions that are the same none may.
  return own / finding.messageIds.length >= (planted.code === "ping_pong" ? 0.8 : 1);
}
