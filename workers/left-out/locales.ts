/** Stands in for zod's list of languages, see `alias` in wrangler.toml. */
export {};
