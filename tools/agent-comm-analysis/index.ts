/**
 * Reads the record of all agents for the one that analyses it: figures, and texts only when asked for. It has
 * nothing that writes. Everything it answers was said by others, so all of it stands in a frame.
 */
import {
  type AnalystRecord,
  defineTool,
  fail,
  ok,
  type Tool,
  type ToolContext,
  type ToolResult,
} from "../../core/tool.ts";
import { type AnalysisConfig, configSchema } from "./config.ts";
import { frameAnswer } from "./frame.ts";
import { type AnalysisInput, inputSchema } from "./input.ts";
import { readChain } from "./read-chain.ts";
import { readFigures } from "./read-figures.ts";
import { readMessages } from "./read-messages.ts";
import { readPairs } from "./read-pairs.ts";

export interface AnalysisPlatform {
  readonly record: AnalystRecord;
  /** Letters and digits that nobody can guess; others each time. */
  readonly nonce: () => string;
}

/** A page of an answer: JSON for the frame, and where to go on. */
export interface Page {
  readonly data: Readonly<Record<string, unknown>>;
  /** Null on the last page. */
  readonly cursor: string | null;
}

/** What the record would not take, in a sentence. */
export type Answer =
  | { readonly ok: true; readonly page: Page }
  | { readonly ok: false; readonly message: string };

export function createAgentCommAnalysis(platform: AnalysisPlatform): Tool {
  return defineTool({
    name: "AgentCommAnalysis",
    description:
      "Reads the record of what the agents say to each other: pairs, figures and findings, conversations, chains, search. Figures by default; texts with includeText. It changes nothing.",
    config: configSchema,
    input: inputSchema,
    repeatable: ["*"],
    parallel: ["*"],
    execute: (input, context) => execute(platform, input, context),
  });
}

async function execute(
  { record, nonce }: AnalysisPlatform,
  input: AnalysisInput,
  context: ToolContext<AnalysisConfig>,
): Promise<ToolResult> {
  context.signal.throwIfAborted();
  const answer = await answerTo(record, input, context.toolConfig);
  context.signal.throwIfAborted();
  return answer.ok ? ok(frameAnswer(answer.page, nonce())) : fail(answer.message);
}

function answerTo(
  record: AnalystRecord,
  input: AnalysisInput,
  { maxTextChars }: AnalysisConfig,
): Promise<Answer> {
  switch (input.action) {
    case "list_pairs":
      return readPairs(record, input, maxTextChars);
    case "stats":
      return readFigures(record, input, maxTextChars);
    case "read_conversation":
    case "search":
      return readMessages(record, input, maxTextChars);
    case "chain":
      return readChain(record, input, maxTextChars);
  }
}
