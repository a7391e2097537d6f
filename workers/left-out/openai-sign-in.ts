/**
 * Stands in for the ways in which the `openai` package signs in without a key, workload identities and certificates, see `alias` in
 * wrangler.toml: its client asks whether it was given one.
 */
class Unused {}

const unused = () => {
  throw new Error("Signing in without a key is left out of the Worker, see docs/decisions.");
};

export const isX509WorkloadIdentity = () => false;
export {
  Unused as WorkloadIdentityAuth,
  Unused as X509WorkloadIdentityAuth,
  unused as assertX509RequestOptions,
  unused as snapshotX509RequestOptions,
};
