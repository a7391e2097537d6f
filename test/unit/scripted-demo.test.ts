import { describe, expect, it } from "vitest";
import { DemoTeam, readConfig, readInstruction, readScenario } from "../support/demo-team.ts";

const instruction = readInstruction();
const languages = [
  {
    language: "English",
    message: instruction.en,
    decision: instruction.person.en,
    report: "reports/house-espresso.md",
    topics: {
      warehouse: "What is in stock?",
      research: "What do green beans cost?",
      bookkeeping: "How much is in the purchasing budget?",
      shipping: "What is the freight?",
      payroll: "What does a Saturday shift cost?",
    },
    number: (text: string) => Number(text.replaceAll(",", "")),
  },
  {
    language: "German",
    message: instruction.de,
    decision: instruction.person.de,
    report: "berichte/hausespresso.md",
    topics: {
      warehouse: "Was ist auf Lager?",
      research: "Was kosten Rohbohnen?",
      bookkeeping: "Was ist im Einkaufsbudget?",
      shipping: "Was kostet die Fracht?",
      payroll: "Was kostet eine Samstagsschicht?",
    },
    number: (text: string) => Number(text.replaceAll(".", "").replace(",", ".")),
  },
];

/** Every amount before ` EUR` in a text. */
const amounts = (text: string) => [...text.matchAll(/([\d.,]*\d) EUR/g)].map((match) => match[1] ?? "");

describe.each(languages)("the demo team, instructed in $language", (walk) => {
  const { message, decision, report, topics, number } = walk;

  /** All that comes of the instruction, the person's decision last. */
  async function wholeWalk() {
    const team = new DemoTeam();
    await team.say("assistant", message);
    const before = await team.work();
    team.board.answer(decision);
    const after = await team.work();
    const [letter, prices, fetching, discount, money] = team.board.tasks;
    return { team, before, after, letter, prices, fetching, discount, money };
  }

  it("asks three colleagues in one step and gets an answer from each", async () => {
    const team = new DemoTeam();
    await team.say("assistant", message);
    const asks = team.exchanges.filter((exchange) => exchange.from === "assistant").slice(0, 3);
    expect(asks.map((ask) => ask.name)).toEqual(["ask_agent", "ask_agent", "ask_agent"]);
    for (const ask of asks) expect(ask.result).not.toMatch(/^(Denied|Failed|Timed out)/);
  });

  it("is refused twice, times out once, and repairs one bad call", async () => {
    const team = new DemoTeam();
    await team.say("assistant", message);
    const count = (from: string, start: RegExp) =>
      team.exchanges.filter((exchange) => exchange.from === from && start.test(exchange.result)).length;
    expect(count("bookkeeping", /^Denied \(answering\)/)).toBe(1);
    expect(count("assistant", /^Denied \(not_colleague\)/)).toBe(1);
    expect(count("assistant", /^Timed out/)).toBe(1);
    expect(count("assistant", /^Failed/)).toBe(1);
  });

  it("tells the person what was found, what was refused and what came too late", async () => {
    const team = new DemoTeam();
    const answer = await team.say("assistant", message);
    expect(answer).toContain("Denied (not_colleague)");
    expect(answer).toContain("Timed out: shipping");
    expect(answer).toContain(report);
    expect(answer).not.toContain("[missing");
  });

  it("writes a report that quotes every colleague and has no gap", async () => {
    const team = new DemoTeam();
    await team.say("assistant", message);
    const text = team.files.get(report) ?? "";
    expect(text).toContain(await team.say("warehouse", topics.warehouse));
    expect(text).toContain(await team.say("research", topics.research));
    expect(text).toContain(await team.say("bookkeeping", topics.bookkeeping, "assistant"));
    expect(text).not.toContain("[missing");
    expect(text).not.toContain("{{");
  });

  it("computes with the figures that the colleagues gave", async () => {
    const team = new DemoTeam();
    await team.say("assistant", message);
    const rows = (team.files.get(report) ?? "").split("\n").filter((line) => line.startsWith("| "));
    const [price = 0] = amounts(rows[6] ?? "").map(number);
    const [budget = 0] = amounts(rows[7] ?? "").map(number);
    for (const [row, kilograms] of [
      [rows[8] ?? "", 300],
      [rows[9] ?? "", 240],
    ] as const) {
      const [unit, cost, left] = amounts(row).map(number);
      expect(unit).toBe(price);
      expect(cost).toBeCloseTo(kilograms * price, 2);
      expect(left).toBeCloseTo(budget - kilograms * price, 2);
    }
    const [left = 0, planned = 0, spent = 0, promised = 0] = amounts(
      await team.say("bookkeeping", topics.bookkeeping),
    ).map(number);
    expect(left).toBe(budget);
    expect(planned - spent - promised).toBe(left);
  });

  it("hands out work once the report is there: to colleagues, to a fresh worker and to a person", async () => {
    const team = new DemoTeam();
    const answer = await team.say("assistant", message);
    const given = team.board.tasks.map(({ assignee, creator }) => `${creator} -> ${assignee}`);
    expect(given).toEqual([
      "assistant -> warehouse",
      "assistant -> @new:research",
      "assistant -> shipping",
      "assistant -> @human",
    ]);
    const calls = team.exchanges.filter(({ from }) => from === "assistant").map(({ name }) => name);
    expect(calls.slice(-5)).toEqual(["FileRW", ...Array.from({ length: 4 }, () => "task_create")]);
    expect(answer).toContain(report);
  });

  it("sends the letter back once, accepts it, and goes on to the next stage", async () => {
    const { team, letter, money } = await wholeWalk();
    expect(letter).toMatchObject({ status: "done", attempts: 2, rejections: 1 });
    expect(money).toMatchObject({ assignee: "bookkeeping", status: "done", rejections: 0 });
    expect(money?.description).toContain(letter?.result ?? "no result");
    const reviews = team.exchanges.filter(({ name }) => name === "task_review");
    expect(reviews.map(({ result }) => JSON.parse(result).status)).toEqual(["open", "done"]);
  });

  it("ends with a price list from the worker, a blocked task, and a decision of the person that is heard", async () => {
    const { before, after, prices, fetching, discount } = await wholeWalk();
    expect(prices).toMatchObject({ status: "done", worker: `research@${prices?.taskId}` });
    expect(fetching?.status).toBe("blocked");
    expect(before.join("\n")).toContain(fetching?.reason ?? "no reason");
    expect(discount).toMatchObject({ status: "done", result: decision });
    expect(after).toHaveLength(1);
    expect(after[0]).toContain(decision);
  });

  it("leaves no gap in what it hands in and says, and no run without an answer of its own", async () => {
    const { team, before, after } = await wholeWalk();
    const said = [...before, ...after, ...team.board.tasks.flatMap(({ result, reason }) => [result, reason])];
    expect(said.filter((text) => text?.includes("[missing"))).toEqual([]);
    expect([...team.usedRules].filter((rule) => rule.endsWith("otherwise"))).toEqual([]);
    expect(
      team.exchanges.filter(({ name, result }) => name.startsWith("task_") && !/^\{/.test(result)),
    ).toEqual([]);
  });

  it("orders, reserves and discounts with the same figures", async () => {
    const { letter, money, discount } = await wholeWalk();
    const [price = 0, total = 0] = amounts(letter?.result ?? "").map(number);
    const [reserved, budget = 0, left] = amounts(money?.result ?? "").map(number);
    expect(total).toBeCloseTo(240 * price, 2);
    expect(reserved).toBe(total);
    expect(left).toBeCloseTo(budget - total, 2);
    const [off = ""] = /\d+[.,]\d\d/.exec(discount?.description ?? "") ?? [];
    expect(number(off)).toBeCloseTo(total * 0.02, 2);
  });

  it("answers a person who asks a colleague directly", async () => {
    const team = new DemoTeam();
    for (const [agentId, question] of Object.entries(topics)) {
      expect(await team.say(agentId, question)).toMatch(/\d (kg|EUR)/);
    }
    const asked = team.exchanges.filter((exchange) => exchange.from === "bookkeeping");
    expect(asked.map((exchange) => exchange.result)).toEqual([await team.say("research", topics.research)]);
  });

  it("says so when a colleague fails or the report cannot be written", async () => {
    const withoutResearch = new DemoTeam();
    withoutResearch.broken.add("research");
    expect(await withoutResearch.say("assistant", message)).toContain(
      "Failed: The colleague's model is away.",
    );
    expect(withoutResearch.files.size).toBe(0);

    const readOnly = new DemoTeam();
    readOnly.writable = false;
    expect(await readOnly.say("assistant", message)).toContain("Failed: Writing is not allowed.");
  });
});

describe("the demo team", () => {
  it("uses every rule of every scenario in these walks", async () => {
    const team = new DemoTeam();
    for (const { message, decision, topics } of languages) {
      await team.say("assistant", message);
      await team.work();
      team.board.answer(decision);
      await team.work();
      for (const [agentId, question] of Object.entries(topics)) await team.say(agentId, question);
      team.writable = false;
      await team.say("assistant", message);
      team.writable = true;
    }
    for (const agentId of team.agents.keys()) await team.say(agentId, "?");
    const all = [...team.agents.values()].flatMap((agent) => [
      ...readScenario(agent).rules.map((_, index) => `${agent.agentId} ${index}`),
      `${agent.agentId} otherwise`,
    ]);
    expect([...team.usedRules].sort()).toEqual(all.sort());
  });

  it("has at least four agents who describe themselves in both languages, and colleagues that exist", () => {
    const { agents, instance } = readConfig();
    const ids = agents.map((agent) => agent.agentId);
    expect(instance).toMatchObject({ id: "demo", timeZone: "Europe/Berlin" });
    expect(ids.length).toBeGreaterThanOrEqual(4);
    expect(agents.flatMap((agent) => agent.colleagues).filter((id) => !ids.includes(id))).toEqual([]);
    for (const agent of agents) expect(agent.description).toMatch(/\. \/ /);
  });

  it("gives the taskboard to everybody who gets tasks", () => {
    const { agents } = readConfig();
    const withBoard = agents
      .filter(({ tools }) => tools.Taskboard !== undefined)
      .map(({ agentId }) => agentId);
    expect(withBoard).toEqual(["assistant", "warehouse", "research", "bookkeeping", "shipping"]);
  });

  it("leaves exactly one agent of the talk without a price, so that its cost reads as at least", async () => {
    const { agents } = readConfig();
    expect(agents.filter((agent) => agent.model.price === undefined).map((a) => a.agentId)).toEqual([
      "warehouse",
    ]);
  });
});
