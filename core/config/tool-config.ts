import type { AgentConfig } from "./agent.ts";
import { resolveSecrets } from "./secrets.ts";

type ToolConfigResult =
  /** As the tool's config schema expects it; for this call only, to be written nowhere. */
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly code: "not_configured" }
  | { readonly ok: false; readonly code: "missing_secret"; readonly missing: readonly string[] };

/**
 * One tool's config for the running agent, secrets filled in, without the engine's own `approve` (L8:
 * nothing of another tool or agent). The tool's schema still has to parse it and fills its defaults.
 */
export function toolConfigFor(
  agent: AgentConfig,
  toolName: string,
  env: Readonly<Record<string, unknown>>,
): ToolConfigResult {
  if (!Object.hasOwn(agent.tools, toolName)) return { ok: false, code: "not_configured" };
  const { approve: _forTheEngine, ...config } = agent.tools[toolName] ?? {};
  const resolved = resolveSecrets(config, env);
  return resolved.ok ? resolved : { ok: false, code: "missing_secret", missing: resolved.missing };
}
