/** Secrets in whatever the taskboard is given. */
import { beforeAll, describe, expect, it } from "vitest";
import { allBaits, credentialBaits } from "../support/leaks.ts";
import { send } from "./support/api.ts";
import { lateScan, pendingOrders, puppet, quiet } from "./support/board.ts";
import { answeredTexts, capturedLog, leaks, modelRequests, storedTexts } from "./support/exposure.ts";
import { act, createTask, tasks } from "./support/tasks.ts";
import { agent, team } from "./support/team.ts";

const log = capturedLog();
const NEW = { title: "Count", description: "All of them.", assignee: "sleeper" };

beforeAll(() => team([puppet("sleeper", { paused: true })]));

describe("L5 secrets", () => {
  const baits = [...allBaits(), ...credentialBaits()];
  const everything = baits.map((bait) => bait.text).join("\n\n");
  const short = (at: number) => `${baits[at % baits.length]?.text ?? ""}`.slice(0, 250);
  /** For scenarios: the same text once it is played, but nothing of a secret in the config. */
  const played = (text: string) => (text.match(/.{1,4}/gsu) ?? []).join("{{repeat:.:0}}");

  it("L5: in any field, of a person or a model, are stored, shown and told nowhere", async () => {
    const stages = [{ title: short(3), description: everything, assignee: "@human", acceptance: everything }];
    const fields = { description: everything, acceptance: everything };
    const titles = baits.map((bait) => bait.text).filter((text) => text.trim() !== "" && text.length <= 300);
    for (const title of titles) await createTask({ title, ...fields, assignee: "@human" });
    const { taskId } = await createTask({ title: short(1), ...fields, assignee: "@human", stages });
    for (const assignee of [short(0), `@new:${short(1)}`])
      await send("POST", "/api/tasks", { ...NEW, assignee });
    await send("POST", "/api/tasks", { ...NEW, parentTaskId: short(2) });
    await act(taskId, "comments", { text: everything });
    await act(taskId, "complete", { result: everything });
    await act(taskId, "review", { decision: "reject", comment: everything });
    await act(taskId, "complete", { result: everything });
    await act(taskId, "review", { decision: "accept", comment: everything });
    const [next] = await tasks("?assignee=@human&limit=1");
    await act(next?.taskId ?? "", "block", { reason: everything });
    await act(next?.taskId ?? "", "cancel", { reason: everything });
    await modelWithSecrets();
    await lateScan();
    const paths = ["/api/tasks", `/api/tasks/${taskId}`, "/api/messages", "/api/notices", "/api/audit"];
    const chains = (await tasks("?limit=20")).map((item) => `/api/chains/${item.rootRunId}`);
    const exposures = [
      ...(await storedTexts()),
      ...(await answeredTexts([...paths, ...chains])),
      ...modelRequests(),
      ...log.map((text) => ({ where: "log", text })),
    ];
    expect(leaks(exposures, baits)).toEqual([]);
    for (const column of ["Title", "Description", "Acceptance", "Stages", "Result", "Reason"])
      expect(
        exposures.filter((item) => item.where === `D1 Tasks.${column}` && item.text.includes("[secret")),
        column,
      ).not.toEqual([]);
    for (const where of ["D1 TaskEvents.Text", "D1 TaskWakes.Run"])
      expect(exposures.filter((item) => item.where === where && item.text.includes("[secret"))).not.toEqual(
        [],
      );
  }, 120_000);

  /** Gives, comments, completes and blocks with secrets in everything; an order stays, for an agent whose queue is full. */
  async function modelWithSecrets(): Promise<void> {
    const secret = played(everything);
    const give = (assignee: string) => ({
      name: "task_create",
      arguments: {
        title: played(short(2)),
        description: secret,
        acceptance: secret,
        assignee,
        stages: [{ title: played(short(3)), description: secret, assignee: "full", acceptance: secret }],
      },
    });
    const full = puppet("full", { limits: { queue: 1 }, paused: true });
    await team([
      full,
      agent("leaky", {
        tools: { Taskboard: {} },
        rules: [
          {
            when: { user: "go", step: 0 },
            calls: [give("leaky"), give("full"), give("full"), give(played(short(0))), give("@human")],
          },
          {
            when: { user: "/^Task (\\S+) from/", step: 0 },
            calls: [
              { name: "task_comment", arguments: { taskId: "{{user.1}}", text: secret } },
              { name: "task_complete", arguments: { taskId: "{{user.1}}", result: secret } },
              {
                name: "task_review",
                arguments: { taskId: "{{user.1}}", decision: "reject", comment: secret },
              },
              { name: "task_block", arguments: { taskId: "{{user.1}}", reason: secret } },
              { name: "task_cancel", arguments: { taskId: secret, reason: secret } },
            ],
          },
          { say: secret },
        ],
      }),
    ]);
    await send("POST", "/api/agents/leaky/chat", { message: "go" });
    await quiet();
    expect(await pendingOrders()).toBeGreaterThan(0);
  }
});
