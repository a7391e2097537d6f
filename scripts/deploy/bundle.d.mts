import type { Wrangler } from "./deploy.mjs";
import type { ConfigTarget } from "./worker-config.mjs";

interface World {
  readonly wrangler: Wrangler;
}

/** Bundles the Worker as it is deployed, into the folder; KiB after gzip. Throws where `alias` replaces too much. */
export declare function bundleWorker(world: World, target: ConfigTarget, folder: string): Promise<number>;

/** Bundles a copy without tools, its drivers stand-ins; KiB after gzip. */
export declare function bundleWithoutDrivers(world: World, folder: string): Promise<number>;
