/** Stands in for zod's compiler of schemas, see `alias` in wrangler.toml: it writes code, which a Worker may not run. */
class Unused extends Error {}

const unused = () => {
  throw new Unused("zod's compiler is left out of the Worker, see docs/decisions.");
};

export const INVALID = Symbol.for("zod.compile.invalid");
export {
  Unused as ZodCompileAsyncError,
  Unused as ZodCompileUnsupportedError,
  unused as compile,
  unused as compileFn,
  unused as withParser,
};
