import { DurableObject } from "cloudflare:workers";
import { createTokenSchema } from "../../core/access/api-tokens.ts";
import { FailureLimit } from "../../core/access/failure-limit.ts";
import { createOnceSchema } from "../../core/admin/once.ts";
import { createVersionSchema } from "../../core/config/versions.ts";
import { createErasureSchema } from "../../core/erase/erasures.ts";
import { DayLedger } from "../../core/hub/day-ledger.ts";
import { createDirectorySchema } from "../../core/hub/directory.ts";
import { createHandOverSchema } from "../../core/hub/hand-over.ts";
import { LiveFeed } from "../../core/hub/live-feed.ts";
import { RecentUids } from "../../core/hub/recent-uids.ts";
import { createStillnessSchema } from "../../core/hub/stillness.ts";
import { createDueSchema } from "../../core/jobs/due-table.ts";
import type { Database } from "../../core/journal/database.ts";
import { createReportSchema } from "../../core/report/mark.ts";
import { ActDelivery } from "../act-delivery.ts";
import type { Env } from "../env.ts";
import { LiveStreams } from "../live-streams.ts";
import { objectDatabase } from "../sqlite.ts";

export interface HubParts {
  readonly db: Database;
  readonly ledger: DayLedger;
  readonly feed: LiveFeed;
  readonly told: RecentUids;
  readonly streams: LiveStreams;
  readonly failures: FailureLimit;
  readonly acts: ActDelivery;
}

/** The hub's parts. What callers may reach is a method on a prototype; an instance's own property is not. */
export abstract class HubBase extends DurableObject<Env> {
  protected readonly parts: HubParts;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const db = objectDatabase(ctx.storage);
    // Of older versions: the live feed is in memory now, and what was told shall not outlive the record.
    db.run("DROP TABLE IF EXISTS Feed");
    createDirectorySchema(db);
    createHandOverSchema(db);
    createDueSchema(db);
    createOnceSchema(db);
    createReportSchema(db);
    createStillnessSchema(db);
    createTokenSchema(db);
    createVersionSchema(db);
    createErasureSchema(db);
    this.parts = {
      db,
      acts: new ActDelivery(db, ctx.storage, env),
      feed: new LiveFeed(Date.now()),
      told: new RecentUids(),
      ledger: new DayLedger(db, Date.now),
      streams: new LiveStreams(Date.now),
      failures: new FailureLimit(Date.now),
    };
  }

  override async alarm(): Promise<void> {
    await this.parts.acts.deliver();
  }
}
