const NEAR =
  /^(?:localhost|[^.:]+|127\.\d+\.\d+\.\d+|10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+|\[?::1\]?)$/;

/** The own machine, a private network, or a name without a point, as containers have it. */
export function isNear(host: string): boolean {
  return NEAR.test(host);
}
