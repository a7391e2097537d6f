/** Whose tasks and contexts are whose. */
import { sha256Hex } from "../../core/sha256.ts";
import type { Actor } from "../access/actor.ts";

/** The same for the same token or person, also after a new key for it; names nobody. */
export function ownerOf({ kind, name }: Pick<Actor, "kind" | "name">): Promise<string> {
  return sha256Hex(`${kind} ${name}`);
}
