import {
  createToken,
  identifyToken,
  listTokens,
  type NewToken,
  readHashes,
  revokeToken,
  type TokenCreated,
  type TokenEntry,
  type TokenHashes,
  type TokenVerdict,
} from "../../core/access/api-tokens.ts";
import type { ActRow } from "../../core/admin/act.ts";
import type { AccessConfig } from "../../core/config/access.ts";
import { readInstance } from "../../core/hub/directory.ts";
import { HubDirectory } from "./hub-directory.ts";

/** Who may come in. */
export abstract class HubAccess extends HubDirectory {
  async access(): Promise<AccessConfig | null> {
    return readInstance(this.parts.db)?.access ?? null;
  }

  async tokenHashes(): Promise<TokenHashes> {
    return readHashes(this.parts.db, Date.now());
  }

  async identifyToken(hash: string): Promise<TokenVerdict> {
    return identifyToken(this.parts.db, hash, Date.now());
  }

  async createToken(token: NewToken, act: ActRow | null = null): Promise<TokenCreated> {
    const { db, acts } = this.parts;
    return db.transaction(() => {
      const created = createToken(db, token, Date.now());
      if (created.ok) acts.with(act, () => undefined);
      return created;
    });
  }

  async tokens(): Promise<TokenEntry[]> {
    return listTokens(this.parts.db);
  }

  /** In force at once: live streams end too, and begin again only for who still has a credential. */
  async revokeToken(name: string, act: ActRow | null = null): Promise<boolean> {
    const { db, acts, streams } = this.parts;
    const revoked = db.transaction(() => {
      const known = revokeToken(db, name, Date.now());
      if (known) acts.with(act, () => undefined);
      return known;
    });
    if (revoked) streams.endAll();
    return revoked;
  }

  /** Takes down a wrong credential; answers how many came from that address in the current minute. */
  async countFailure(address: string): Promise<number> {
    return this.parts.failures.count(address);
  }
}
