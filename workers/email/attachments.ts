/** What is attached to a mail goes to the tool that keeps the agent's files, as far as its config lets it. */
import type { AgentConfig } from "../../core/config/agent.ts";
import { fieldOf, itemsOf } from "../../core/config/raw.ts";
import { toolConfigFor } from "../../core/config/tool-config.ts";
import type { KeptFile, LeftOut } from "../../core/email/texts.ts";
import type { KeepFile } from "../../core/kept-file.ts";
import type { Env } from "../../durable-objects/env.ts";
import { bundledRegistry } from "../wiring.ts";
import type { Attached } from "./read-mail.ts";

const MAX_FILES = 20;
const MAX_NAME_CHARS = 80;
const KEEP_MS = 30_000;

export interface Keeping {
  readonly agent: AgentConfig | null;
  readonly instance: { readonly id: string; readonly plainVars: readonly string[] };
  /** A folder of this mail's own, the same for the same mail. */
  readonly folder: string;
}

export interface KeptAttachments {
  readonly kept: readonly KeptFile[];
  readonly leftOut: readonly LeftOut[];
}

/** Rejects when the store does. */
export async function keepAttachments(
  env: Env,
  files: readonly Attached[],
  keeping: Keeping,
): Promise<KeptAttachments> {
  const kept: KeptFile[] = [];
  const leftOut: LeftOut[] = [];
  if (files.length === 0) return { kept, leftOut };
  const keeper = keeperOf(env, keeping);
  const names = distinct(files.map(({ name }) => plainName(name)));
  for (const [index, { bytes }] of files.entries()) {
    const name = names[index] ?? "attachment";
    if (index >= MAX_FILES) leftOut.push({ name, reason: `More than ${MAX_FILES} attachments.` });
    else if (typeof keeper === "string") leftOut.push({ name, reason: keeper });
    else {
      const result = await keeper({ path: `${keeping.folder}/${name}`, bytes });
      if (result.ok) kept.push({ path: result.path, bytes: bytes.length });
      else leftOut.push({ name, reason: result.reason });
    }
  }
  return { kept, leftOut };
}

type Keeper = (file: Parameters<KeepFile>[0]) => ReturnType<KeepFile>;

/** Why there is none, as a sentence. */
function keeperOf(env: Env, { agent, instance }: Keeping): Keeper | string {
  const registry = bundledRegistry(env, instance.plainVars);
  for (const name of Object.keys(agent?.tools ?? {})) {
    const keepFile = registry.get(name)?.keepFile;
    if (agent === null || keepFile === undefined) continue;
    // What a person must allow is not done because somebody sends a mail.
    if (itemsOf(fieldOf(agent.tools[name], "approve")).length > 0)
      return "Writing files needs a person's approval.";
    const config = toolConfigFor(agent, name, { ...env });
    if (!config.ok) return "The tool for files is not configured.";
    const signal = AbortSignal.timeout(KEEP_MS);
    return (file) => keepFile(file, { instanceId: instance.id, toolConfig: config.value, signal });
  }
  return "The agent keeps no files.";
}

/** The last name of a path, without what no file's name has; the tool still judges it. */
function plainName(raw: string): string {
  const last = raw.replaceAll("\\", "/").split("/").at(-1) ?? "";
  const name = last
    .toWellFormed()
    .replace(/[<>:"|?*%~\p{Cc}\p{Cf}\p{Co}]/gu, "_")
    .replace(/^[. ]+|[. ]+$/g, "");
  if (name === "") return "attachment";
  const dot = name.lastIndexOf(".");
  const extension = dot > 0 ? name.slice(dot).slice(0, 17) : "";
  const stem = dot > 0 ? name.slice(0, dot) : name;
  return `${stem.slice(0, MAX_NAME_CHARS).toWellFormed()}${extension}`;
}

/** Two files of one name would be one. */
function distinct(names: readonly string[]): string[] {
  return names.map((name, index) =>
    names.some((other, before) => before < index && other.toLowerCase() === name.toLowerCase())
      ? `${index + 1} ${name}`
      : name,
  );
}
