import { expect, it } from "vitest";
import { checkInstance } from "../../../core/config/check.ts";

const channels = { team: { type: "webhook", webhookUrl: { $secret: "HOOK" } } };

function check(report: unknown) {
  const checked = checkInstance({ id: "test", channels, report });
  return checked.ok ? checked.instance.report : checked.issues.map(({ path }) => path);
}

it("of a report only the channel must be named", () => {
  expect(check({ channel: "team" })).toEqual({
    channel: "team",
    cron: "0 7 * * 1",
    days: 7,
    language: "en",
  });
});

it("a report to a channel that the instance does not have is a fault", () => {
  expect(check({ channel: "nobody" })).toEqual(["report.channel"]);
  expect(check({})).toEqual(["report.channel"]);
});

it.each([
  [{ cron: "0 0 7 * * 1" }, []],
  [{ cron: "30 0 7 * * 1" }, ["report.cron"]],
  [{ cron: "0 7 31 2 *" }, ["report.cron"]],
  [{ days: 0 }, ["report.days"]],
  [{ days: 93 }, ["report.days"]],
  [{ language: "fr" }, ["report.language"]],
  [{ viewerUrl: "https://parley.example" }, []],
  [{ viewerUrl: "javascript:alert(1)" }, ["report.viewerUrl"]],
  [{ viewerUrl: "https://me:pass@parley.example" }, ["report.viewerUrl"]],
  [{ other: 1 }, ["report.other"]],
])("with %j the faults are %j", (changes, faults) => {
  const checked = check({ channel: "team", ...changes });
  expect(Array.isArray(checked) ? checked : []).toEqual(faults);
});
