import type { Wrangler } from "./deploy.mjs";

/** Runs wrangler for a deployment. */
export declare function createWrangler(options: { readonly mask: (text: string) => string }): Wrangler;
