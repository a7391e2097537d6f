const DEFAULT_LIMIT = 20;

export const limitOf = ({ limit }: { readonly limit?: number | undefined }): number => limit ?? DEFAULT_LIMIT;

/** A piece of a list; its cursor is a number. Null for any other cursor. */
export function offsetPage<T>(
  all: readonly T[],
  { limit, cursor = "0" }: { readonly limit: number; readonly cursor?: string | undefined },
): { readonly items: readonly T[]; readonly cursor: string | null } | null {
  if (!/^\d{1,9}$/.test(cursor)) return null;
  const end = Number(cursor) + limit;
  return { items: all.slice(Number(cursor), end), cursor: end < all.length ? String(end) : null };
}
