/** Chooses the rule of a scenario that answers a request. */
import type { Scenario, ScenarioAction, ScenarioWhen } from "./scenario.ts";
import { type Captures, matchPattern } from "./scenario-pattern.ts";
import type { RuleCaptures } from "./scenario-template.ts";
import type { Turn } from "./scenario-turn.ts";

interface MatchedRule {
  /** Position in `rules`. */
  readonly index: number;
  readonly action: ScenarioAction;
  readonly captures: RuleCaptures;
}

/** The first rule all of whose conditions hold, or null. */
export function matchRule(scenario: Scenario, turn: Turn): MatchedRule | null {
  for (const [index, action] of scenario.rules.entries()) {
    const captures = matchWhen(action.when, turn);
    if (captures !== null) return { index, action, captures };
  }
  return null;
}

function matchWhen(when: ScenarioWhen, turn: Turn): RuleCaptures | null {
  if (!positionFits(when, turn)) return null;
  const system = capture(when.system, turn.system);
  const user = capture(when.user, turn.user);
  const result = capture(when.result, turn.lastResult?.text ?? null);
  const calls = captureCalls(when.calls ?? {}, turn);
  if (system === null || user === null || result === null || calls === null) return null;
  return { user, result, calls };
}

function positionFits(when: ScenarioWhen, turn: Turn): boolean {
  if (when.turn !== undefined && when.turn !== turn.turn) return false;
  if (when.lastTool !== undefined && when.lastTool !== turn.lastResult?.name) return false;
  if (when.step === undefined) return true;
  if (typeof when.step === "number") return when.step === turn.step;
  return turn.step >= (when.step.from ?? 0) && turn.step <= (when.step.to ?? Number.POSITIVE_INFINITY);
}

function capture(pattern: string | undefined, text: string | null): Captures | null {
  if (pattern === undefined) return [];
  return text === null ? null : matchPattern(pattern, text);
}

function captureCalls(
  patterns: Readonly<Record<string, string>>,
  turn: Turn,
): ReadonlyMap<string, Captures> | null {
  const found = new Map<string, Captures>();
  for (const [name, pattern] of Object.entries(patterns)) {
    const [step, position] = name.split(".");
    const captures = capture(pattern, turn.calls[Number(step)]?.[Number(position)]?.result ?? null);
    if (captures === null) return null;
    found.set(name, captures);
  }
  return found;
}
