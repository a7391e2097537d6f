/**
 * The floor: what the platform itself takes for a run's model calls and rows, with nothing of an agent
 * runtime around it. It makes the product's model calls with the product's bodies, writes as many rows to its
 * SQLite, journaled step by step, and the same rows to D1 in one batch before it answers.
 */
import { DurableObject } from "cloudflare:workers";
import { z } from "zod";
import { LOG_LINES_PER_MINUTE } from "../../core/limits.ts";
import { type Answer, type Call, callModel, type Message, type Plan, planSchema } from "./model.ts";
import { type AskFacts, type RunFacts, writeRecord } from "./record.ts";
import { RUN_ROWS } from "./rows.ts";

interface Env {
  readonly AGENTS: DurableObjectNamespace<FloorAgent>;
  readonly DB: D1Database;
}

interface Outcome {
  readonly run: RunFacts;
  readonly reply: string;
}

export class FloorAgent extends DurableObject<Env> {
  #plan: Plan | null = null;
  #history: Message[] = [];
  #logged = { minute: 0, lines: 0 };
  /** A conversation whose bodies grow as the product's do has one run at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS Rows (id INTEGER PRIMARY KEY, body TEXT NOT NULL)");
    ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS Plan (json TEXT NOT NULL)");
    const [stored] = ctx.storage.sql.exec<{ json: string }>("SELECT json FROM Plan").toArray();
    this.#plan = stored === undefined ? null : planSchema.parse(JSON.parse(stored.json));
  }

  async configure(json: string): Promise<void> {
    this.#plan = planSchema.parse(JSON.parse(json));
    this.ctx.storage.sql.exec("DELETE FROM Plan");
    this.ctx.storage.sql.exec("INSERT INTO Plan (json) VALUES (?)", json);
  }

  async reset(): Promise<void> {
    this.#history = [];
  }

  async chat(message: string): Promise<string> {
    const turn = this.#last.then(() => this.#chat(message));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async answer(question: string, root: RunFacts): Promise<Outcome> {
    const plan = this.#planned();
    const run = { ...this.#newRun(plan), parentRunId: root.runId, rootRunId: root.rootRunId, steps: 1 };
    const asked = { role: "user", content: plan.lead + question };
    const reply = await callModel(plan, [...this.#history, asked]);
    this.#write(RUN_ROWS.answer, reply);
    this.#history.push(asked, { role: "assistant", content: reply.text });
    return { run, reply: reply.text };
  }

  async #chat(message: string): Promise<string> {
    const plan = this.#planned();
    const run = this.#newRun(plan);
    const rows = (plan.colleague === null ? RUN_ROWS.tool : RUN_ROWS.ask) / 2;
    const turn: Message[] = [{ role: "user", content: message }];
    const first = await callModel(plan, [...this.#history, ...turn]);
    if (first.call === null) throw new Error("The model made no call");
    this.#write(Math.floor(rows), first);
    const asked = plan.colleague === null ? null : await this.#ask(plan.colleague, first.call, run);
    turn.push(callMessage(first.call), {
      role: "tool",
      tool_call_id: first.call.id,
      content: asked?.facts.answer ?? plan.toolResult,
    });
    const last = await callModel(plan, [...this.#history, ...turn]);
    this.#write(Math.ceil(rows), last);
    this.#history.push(...turn, { role: "assistant", content: last.text });
    const call = { tool: first.call.name, arguments: first.call.arguments };
    const runs = asked === null ? [run] : [run, asked.run];
    await writeRecord(this.env.DB, { runs, call, ask: asked?.facts ?? null });
    return last.text;
  }

  async #ask(colleague: string, call: Call, run: RunFacts): Promise<{ run: RunFacts; facts: AskFacts }> {
    const { question } = JSON.parse(call.arguments);
    const { run: answering, reply } = await agentStub(this.env, colleague).answer(question, run);
    return { run: answering, facts: { from: run.agentId, to: colleague, question, answer: reply } };
  }

  #newRun(plan: Plan): RunFacts {
    const runId = crypto.randomUUID();
    const agentId = this.ctx.id.name ?? "";
    return {
      runId,
      rootRunId: runId,
      parentRunId: null,
      agentId,
      model: plan.model,
      steps: 2,
      startedAt: Date.now(),
      isLogged: this.#mayLog(),
    };
  }

  /** As many lines a minute as an object of the product keeps. */
  #mayLog(): boolean {
    const minute = Math.floor(Date.now() / 60_000);
    if (minute !== this.#logged.minute) this.#logged = { minute, lines: 0 };
    this.#logged.lines += 1;
    return this.#logged.lines <= LOG_LINES_PER_MINUTE;
  }

  #write(rows: number, answer: Answer): void {
    const body = JSON.stringify(answer);
    for (let row = 0; row < rows; row += 1)
      this.ctx.storage.sql.exec("INSERT INTO Rows (body) VALUES (?)", body);
  }

  #planned(): Plan {
    if (this.#plan === null) throw new Error("The agent has no plan");
    return this.#plan;
  }
}

function callMessage(call: Call): Message {
  const { name, arguments: given } = call;
  const wire = { id: call.id, type: "function", function: { name, arguments: given } };
  return { role: "assistant", content: null, tool_calls: [wire] };
}

const agentStub = (env: Env, agentId: string) => env.AGENTS.get(env.AGENTS.idFromName(agentId));

/** `POST /<agent>/<configure | reset | chat>`. */
export default {
  fetch: async (request, env) => {
    const [, agentId = "", verb] = new URL(request.url).pathname.split("/");
    const agent = agentStub(env, agentId);
    if (verb === "configure") await agent.configure(await request.text());
    else if (verb === "reset") await agent.reset();
    else {
      const { message } = z.object({ message: z.string() }).parse(await request.json());
      return Response.json({ status: "completed", reply: await agent.chat(message) });
    }
    return Response.json({ ok: true });
  },
} satisfies ExportedHandler<Env>;
