/** Addresses that an operator names: any host over HTTP, no credentials in them. */

/** What is wrong with it; null for a sound one. `instead` tells where credentials belong. */
export function httpAddressFault(text: string, instead: string): string | null {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return "Must be an http or https address";
  return url.username + url.password === "" ? null : `Must not hold credentials; use ${instead}`;
}
