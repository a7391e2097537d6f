/** Config documents that are valid until a test changes them, and a registry with tools to configure. */
import { z } from "zod";
import { createRegistry } from "../../core/registry.ts";
import { defineTool, noAction, ok, secret } from "../../core/tool.ts";

export type Document = Record<string, unknown>;

export const validModel = {
  provider: "openai",
  name: "gpt-5-mini",
  baseUrl: "https://models.example/v1",
  apiKey: { $secret: "OPENAI_API_KEY" },
  contextTokens: 128000,
  price: { inputPerMTok: 0.25, cachedInputPerMTok: 0.025, outputPerMTok: 2 },
};

export function validAgent(changes: Document = {}): Document {
  return {
    agentId: "analyst",
    name: "Analyst",
    description: "Knows the figures",
    systemPrompt: "You are the analyst.",
    model: validModel,
    ...changes,
  };
}

/** A file in which every key of the contract is used. */
export function validFile(): Document {
  return {
    instance: {
      id: "demo",
      timeZone: "Europe/Berlin",
      agentMessageRetentionDays: 0,
      perChain: { runs: 100, depth: 8, costUsd: 5, tokens: 2000000 },
      perDay: { costUsd: 50 },
      siltedAfterHours: 48,
      plainVars: ["PUBLIC_URL"],
      channels: { team: { type: "rocketchat", webhookUrl: { $secret: "ROCKETCHAT_URL" } } },
      notices: "team",
    },
    agents: [
      validAgent({
        limits: { steps: 20, runSeconds: 900, toolResultChars: 20000, askSeconds: 60, askSteps: 5 },
        timeZone: "Europe/Berlin",
        paused: false,
        colleagues: ["*"],
        tools: {
          Files: { rootPath: "analyst", allowWrite: true, extensions: [".txt"], approve: ["write"] },
          Post: { host: "mail.example", login: { user: "u", password: { $secret: "MAIL_PASSWORD" } } },
          Taskboard: {},
          AskAgent: {},
        },
        scheduler: [
          { id: "morning", cron: "0 8 * * 1-5", taskMessage: "Report", enabled: true, stateless: false },
        ],
        toolJobs: [
          {
            jobId: "abc12345",
            toolName: "Post",
            jobTypeId: "post_check",
            cron: "*/5 * * * *",
            runOnStart: false,
          },
        ],
      }),
      validAgent({
        agentId: "clerk",
        name: "Clerk",
        model: { provider: "scripted" },
        colleagues: ["analyst"],
      }),
    ],
  };
}

const files = defineTool({
  name: "Files",
  description: "Reads and writes files.",
  config: z.strictObject({
    rootPath: z.string(),
    allowWrite: z.boolean().default(false),
    extensions: z.array(z.string().startsWith(".")).default([]),
  }),
  input: z.object({ action: z.enum(["read", "write"]) }),
  repeatable: [],
  parallel: [],
  execute: async () => ok(""),
});

/** Secrets in every position that a schema can give them. */
const post = defineTool({
  name: "Post",
  description: "Sends mail.",
  config: z.strictObject({
    host: z.string(),
    login: z.strictObject({ user: z.string(), password: secret().min(12) }),
    token: secret().nullable().optional(),
    headers: z.record(z.string(), secret()).optional(),
    keys: z.array(secret()).optional(),
    store: z
      .discriminatedUnion("type", [
        z.strictObject({ type: z.literal("address"), connection: secret().startsWith("mysql://") }),
        z.strictObject({ type: z.literal("file"), connection: z.string() }),
      ])
      .optional(),
    way: z.union([z.strictObject({ url: secret() }), z.strictObject({ port: z.int() })]).optional(),
  }),
  input: z.object({ action: z.literal("send") }),
  repeatable: [],
  parallel: [],
  execute: async () => ok(""),
  jobs: [
    {
      jobTypeId: "post_check",
      name: "New post",
      description: "Looks for new post.",
      run: async () => noAction(),
    },
  ],
});

/** `Files` and `Post`; `Post` offers the job type `post_check`. */
export function exampleTools() {
  return createRegistry([files, post]);
}
