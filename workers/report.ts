/** The minute's part in reports. Whether one is due the config and the hub's mark say; nothing else is read for it. */
import { deliverReport, giveUpNotice } from "../core/channels/notices.ts";
import { NOTICE_LIFE_MS } from "../core/channels/retry.ts";
import type { InstanceConfig } from "../core/config/instance.ts";
import type { ReportConfig } from "../core/config/report.ts";
import { describeError } from "../core/log.ts";
import { createReader } from "../core/record/reader.ts";
import { NO_ROWS } from "../core/record/rows.ts";
import { writeRecord } from "../core/record/write-record.ts";
import { reportPeriods, reportStep } from "../core/report/due.ts";
import { readReportFigures } from "../core/report/figures.ts";
import type { ReportMark } from "../core/report/mark.ts";
import { reportNotice, reportUid } from "../core/report/notice.ts";
import { reportText } from "../core/report/report-text.ts";
import { again } from "../durable-objects/again.ts";
import { noticePort } from "../durable-objects/channel-port.ts";
import type { Env } from "../durable-objects/env.ts";
import { catchUp } from "./analysis.ts";
import { channelTransports } from "./channel-transports.ts";
import { workerLog } from "./log.ts";
import { hubStub } from "./objects.ts";
import { knownScrubber } from "./wiring.ts";

interface Minute {
  /** As the hub had it at the minute's beginning. */
  readonly mark: ReportMark | null;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Rejects when D1 or the hub does; the next minute does what is left. */
export async function runReport(env: Env, instance: InstanceConfig, { mark, at }: Minute): Promise<void> {
  const { report, timeZone } = instance;
  const timing = report === undefined ? null : { cron: report.cron, timeZone };
  const step = reportStep(timing, mark, at);
  if (step.kind === "keep") return keep(env, step.mark);
  if (step.kind === "write" && report !== undefined) {
    const { tick, timing: key } = step;
    await writeReport(env, instance, { report, tick });
    if (mark?.last != null && mark.last.tick !== tick) await giveUpNotice(env.DB, reportUid(mark.last.tick));
    await keep(env, { timing: key, doneUpTo: tick, last: { tick, writtenAt: at } });
    return send(env, instance, tick);
  }
  if (mark?.last != null && mayBeOnItsWay(mark.last.writtenAt, at)) await send(env, instance, mark.last.tick);
}

function keep(env: Env, mark: ReportMark | null): Promise<void> {
  return again(async () => hubStub(env).keepReport(mark));
}

/** A little longer than it is tried, so that its end is written down too. */
const AFTER_LIFE_MS = 3_600_000;

function mayBeOnItsWay(writtenAt: number, now: number): boolean {
  return now < writtenAt + NOTICE_LIFE_MS + AFTER_LIFE_MS;
}

interface ReportOfTick {
  readonly report: ReportConfig;
  /** Epoch milliseconds. */
  readonly tick: number;
}

/** The first text of a tick stays, whoever else writes one. */
async function writeReport(
  env: Env,
  instance: InstanceConfig,
  { report, tick }: ReportOfTick,
): Promise<void> {
  const { timeZone, plainVars, siltedAfterHours } = instance;
  const reader = createReader(env.DB);
  await catchUp(env, instance, reader);
  const periods = reportPeriods(tick, report.days, timeZone);
  const figures = await readReportFigures(reader, periods, siltedAfterHours);
  const { scrub } = knownScrubber(env, plainVars);
  const text = scrub(reportText({ figures, report, timeZone, scrub }));
  const notice = reportNotice(tick, text, Date.now());
  await writeRecord(env.DB, env.TEXTS, { ...NO_ROWS, notices: [notice] });
  const log = workerLog(env, plainVars);
  log.info(`A report was written from ${reader.rowsRead} rows`);
  await again(async () => hubStub(env).publish([{ type: "notice", notice }])).catch((error: unknown) =>
    log.warn(`The live feed did not hear of the report: ${describeError(error)}`),
  );
}

/** Never rejects: the minute after tries again. */
async function send(env: Env, instance: InstanceConfig, tick: number): Promise<void> {
  const scrubber = knownScrubber(env, instance.plainVars);
  const log = workerLog(env, instance.plainVars);
  const port = noticePort({ env, transports: channelTransports(env), scrubber: () => scrubber }, log);
  await deliverReport(port, instance, reportUid(tick)).catch((error: unknown) =>
    log.error("The report was not sent", error),
  );
}
