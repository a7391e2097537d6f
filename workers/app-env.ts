import type { Reader } from "../core/record/reader.ts";
import type { Registry } from "../core/registry.ts";
import type { Env } from "../durable-objects/env.ts";
import type { Actor } from "./access/actor.ts";
import type { ErrorShape } from "./errors.ts";

export interface AppEnv {
  Bindings: Env;
  Variables: {
    /** Who makes the request, see `actorOf`. */
    actor?: Actor;
    /** The tools that configs may name. */
    registry: Registry;
    /** Set by the first read from D1, see `readerOf`. */
    reader?: Reader;
    /** How this door shows its errors; missing: as the API does. */
    errorShape?: ErrorShape;
  };
}
