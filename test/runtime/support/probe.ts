/** Lets an agent call its probe tools and tells what each call came to. */
import { z } from "zod";
import { type Answer, chat, get, send } from "./api.ts";
import { agent } from "./team.ts";

export interface ProbeCall {
  /** `Probe` unless said otherwise. */
  readonly tool?: string;
  readonly action: string;
  readonly key?: string;
  readonly value?: string;
}

const callShape = z.object({ outcome: z.string().nullable(), result: z.string().nullable() });
const runShape = z.object({
  run: z.object({ steps: z.array(z.object({ calls: z.array(callShape) })) }),
});

export interface Probed {
  readonly answer: Answer;
  readonly calls: readonly z.infer<typeof callShape>[];
}

/** A document of an agent that makes these calls in its first step and then says that it is done. */
export function probing(
  agentId: string,
  calls: readonly ProbeCall[],
  spec: Readonly<Record<string, unknown>> = {},
) {
  const made = calls.map(({ tool = "Probe", ...args }) => ({ name: tool, arguments: args }));
  const rules = [
    { when: { user: "probe", step: 0 }, calls: made },
    { when: { user: "probe" }, say: "done" },
  ];
  return agent(agentId, { rules, tools: { Probe: {}, OtherProbe: {} }, ...spec });
}

/** Configures such an agent, lets it run, and reads its calls. */
export async function probe(
  agentId: string,
  calls: readonly ProbeCall[],
  spec: Readonly<Record<string, unknown>> = {},
): Promise<Probed> {
  const response = await send("PUT", `/api/agents/${agentId}`, probing(agentId, calls, spec));
  if (!response.ok) throw new Error(await response.text());
  const answer = await chat(agentId, "probe");
  const { run } = runShape.parse(await get(`/api/runs/${answer.runId}`));
  return { answer, calls: run.steps[0]?.calls ?? [] };
}

/** The results of calls that must have worked, read as JSON. */
export function jsonResults({ calls }: Probed): unknown[] {
  return calls.map(({ outcome, result }) => {
    if (outcome !== "ok") throw new Error(`${outcome}: ${result}`);
    return JSON.parse(result ?? "");
  });
}
