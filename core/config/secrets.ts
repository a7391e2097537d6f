/**
 * Secret references. A config document holds `{"$secret": "NAME"}`, never a value; the value is taken
 * from the Worker's secrets when it is used, and the resolved copy is written nowhere.
 */
import { z } from "zod";
import { isRecord } from "./raw.ts";

const SECRET_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

export const NOT_A_REFERENCE =
  'Must be a reference {"$secret": "NAME"} to a secret of the Worker, not the value itself';

/** Schema of a reference. Its errors say what is expected and never repeat what stood there. */
export const secretRef = z.strictObject(
  {
    $secret: z
      .string()
      .regex(SECRET_NAME, "Must be a name of letters, digits and _, not starting with a digit"),
  },
  {
    error: (issue) =>
      issue.code === "invalid_type" && issue.input !== undefined ? NOT_A_REFERENCE : undefined,
  },
);

/** The name a reference points to; null for everything else. */
export function secretNameOf(value: unknown): string | null {
  const parsed = secretRef.safeParse(value);
  return parsed.success ? parsed.data.$secret : null;
}

/** Every secret that a checked document refers to, sorted, each once. */
export function secretNames(document: unknown): readonly string[] {
  return [...new Set(referencesIn(document))].sort();
}

function referencesIn(value: unknown): readonly string[] {
  const name = secretNameOf(value);
  if (name !== null) return [name];
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  return isRecord(value) ? Object.values(value).flatMap(referencesIn) : [];
}

type ResolvedSecrets =
  | { readonly ok: true; readonly value: unknown }
  /** Names of secrets that are not set, or empty. */
  | { readonly ok: false; readonly missing: readonly string[] };

/**
 * A copy of a checked document with every reference replaced by the environment's string.
 * The document itself stays as it was. An empty string counts as not set.
 */
export function resolveSecrets(document: unknown, env: Readonly<Record<string, unknown>>): ResolvedSecrets {
  const missing = secretNames(document).filter((name) => secretValue(name, env) === null);
  return missing.length > 0 ? { ok: false, missing } : { ok: true, value: fillIn(document, env) };
}

function fillIn(value: unknown, env: Readonly<Record<string, unknown>>): unknown {
  const name = secretNameOf(value);
  if (name !== null) return secretValue(name, env);
  if (Array.isArray(value)) return value.map((item) => fillIn(item, env));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillIn(item, env)]));
}

function secretValue(name: string, env: Readonly<Record<string, unknown>>): string | null {
  const value = env[name];
  return typeof value === "string" && value !== "" ? value : null;
}
