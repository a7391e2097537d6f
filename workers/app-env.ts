import type { Env } from "../durable-objects/env.ts";

export interface AppEnv {
  Bindings: Env;
}
