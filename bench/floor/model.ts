/** The plainest client of a streaming chat completion: no retries, no checks, no limits. */
import { z } from "zod";

export type Message = Readonly<Record<string, unknown>>;

export interface Call {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface Answer {
  readonly text: string;
  readonly call: Call | null;
}

/** Same request bodies as the product's. */
export const planSchema = z.object({
  baseUrl: z.string(),
  model: z.string(),
  system: z.record(z.string(), z.unknown()),
  tools: z.array(z.unknown()).nullable(),
  /** What stands before a colleague's question. */
  lead: z.string(),
  /** Answers the tool call; null asks the colleague. */
  toolResult: z.string().nullable(),
  colleague: z.string().nullable(),
});

export type Plan = z.infer<typeof planSchema>;

export async function callModel(plan: Plan, messages: readonly Message[]): Promise<Answer> {
  const response = await fetch(`${plan.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      model: plan.model,
      messages: [plan.system, ...messages],
      ...(plan.tools === null ? {} : { tools: plan.tools }),
      stream: true,
      stream_options: { include_usage: true },
    }),
  });
  if (response.body === null) throw new Error("The model server sent no body");
  return readStream(response.body);
}

interface Chunk {
  readonly choices: readonly {
    readonly delta: {
      readonly content?: string;
      readonly tool_calls?: readonly {
        readonly id?: string;
        readonly function: { readonly name?: string; readonly arguments: string };
      }[];
    };
  }[];
}

async function readStream(body: ReadableStream<Uint8Array>): Promise<Answer> {
  const answer = { text: "", id: "", name: "", arguments: "" };
  let rest = "";
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split("\n\n");
    rest = lines.pop() ?? "";
    for (const line of lines) takeLine(answer, line);
  }
  const { text, ...call } = answer;
  return { text, call: call.name === "" ? null : call };
}

function takeLine(answer: { text: string; id: string; name: string; arguments: string }, line: string) {
  if (line === "data: [DONE]") return;
  const chunk: Chunk = JSON.parse(line.slice("data: ".length));
  const delta = chunk.choices[0]?.delta;
  answer.text += delta?.content ?? "";
  for (const call of delta?.tool_calls ?? []) {
    answer.id += call.id ?? "";
    answer.name += call.function.name ?? "";
    answer.arguments += call.function.arguments;
  }
}
