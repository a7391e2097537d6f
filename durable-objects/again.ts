const TRIES = 5;
const FIRST_WAIT_MS = 50;

/**
 * Makes a call to an object again when it fails: objects are reset by deploys and moves. Only for calls that
 * are safe to repeat. `call` must take a new stub each time, since after an error the old one is broken for
 * good. An overloaded object is left alone.
 */
export async function again<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (attempt >= TRIES || isOverloaded(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, FIRST_WAIT_MS * 2 ** attempt));
    }
  }
}

function isOverloaded(error: unknown): boolean {
  return error instanceof Error && "overloaded" in error && error.overloaded === true;
}
