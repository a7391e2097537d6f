/** What becomes of a request when the server sends it elsewhere; as the fetch standard has it, only stricter with headers. */

export interface OutboundRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: BodyInit | null;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** All that another origin gets to see: a header that is not known to be harmless may hold a credential. */
const KEPT_ACROSS_ORIGINS: ReadonlySet<string> = new Set([
  "accept",
  "accept-language",
  "cache-control",
  "content-encoding",
  "content-language",
  "content-type",
  "user-agent",
]);

const OF_THE_BODY: readonly string[] = [
  "content-encoding",
  "content-language",
  "content-length",
  "content-location",
  "content-type",
];

/** The address that a response points to; null when it is no redirect. An address that is none is the empty text. */
export function redirectTarget(response: Response, from: URL): string | null {
  const location = response.headers.get("location");
  if (!REDIRECTS.has(response.status) || location === null) return null;
  return URL.parse(location, from)?.href ?? "";
}

/** The next request; null when it would need a body that has been sent already and cannot be sent twice. */
export function redirected(request: OutboundRequest, status: number, url: URL): OutboundRequest | null {
  const becomesGet =
    status === 303
      ? request.method !== "GET" && request.method !== "HEAD"
      : (status === 301 || status === 302) && request.method === "POST";
  if (!becomesGet && request.body instanceof ReadableStream) return null;
  const headers = new Headers(request.headers);
  if (request.url.origin !== url.origin) dropWhere(headers, (name) => !KEPT_ACROSS_ORIGINS.has(name));
  if (!becomesGet) return { ...request, url, headers };
  dropWhere(headers, (name) => OF_THE_BODY.includes(name));
  return { url, method: "GET", headers, body: null };
}

function dropWhere(headers: Headers, drop: (name: string) => boolean): void {
  for (const name of [...headers.keys()]) if (drop(name)) headers.delete(name);
}
