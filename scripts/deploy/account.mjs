/** Who is signed in, and which account is meant. */
import { Problem } from "../instance/problem.mjs";
import { WranglerError } from "./wrangler-command.mjs";

const SIGN_IN =
  "Nobody is signed in to Cloudflare. Run npx wrangler login (it opens a browser), or set CLOUDFLARE_API_TOKEN to a token " +
  "with the permissions that docs/deploy.md lists.";

/** Finds the account, and notes it. Throws a {@link Problem} with the next step where nobody is signed in, or it is unclear. */
export async function signIn({ wrangler, deployment, environment }) {
  const who = await whoAmI(wrangler);
  const accounts = who.accounts ?? [];
  const known = deployment.notes().accountId;
  const account = chooseAccount(accounts, environment.CLOUDFLARE_ACCOUNT_ID || undefined, known);
  deployment.note({ accountId: account.id });
  return `account ${account.name ?? ""} (${account.id})`.replace(/ {2}/, " ");
}

async function whoAmI(wrangler) {
  try {
    return (await wrangler.run(["whoami", "--json"])).json();
  } catch (error) {
    if (error instanceof WranglerError && /"loggedIn":\s*false/.test(error.text)) throw new Problem(SIGN_IN);
    throw error;
  }
}

/** An API token may not be allowed to list accounts; then the named one is taken at its word. */
function chooseAccount(accounts, wanted, known) {
  if (wanted !== undefined && known !== undefined && wanted !== known)
    throw new Problem(otherAccount(wanted, known));
  const id = wanted ?? known;
  if (id !== undefined) return accounts.find((account) => account.id === id) ?? unlisted(accounts, id);
  if (accounts.length === 1) return accounts[0];
  throw new Problem(accounts.length === 0 ? NO_ACCOUNT : severalAccounts(accounts));
}

function unlisted(accounts, id) {
  if (accounts.length === 0) return { id };
  throw new Problem(`The signed-in user has no account ${id}. ${severalAccounts(accounts)}`);
}

const NO_ACCOUNT =
  "The token does not tell which account it is for. Set CLOUDFLARE_ACCOUNT_ID to the id in the address of the dashboard.";

const severalAccounts = (accounts) =>
  `Set CLOUDFLARE_ACCOUNT_ID to the account that is meant:\n${accounts.map(({ id, name }) => `    ${id}  ${name}`).join("\n")}`;

const otherAccount = (wanted, known) =>
  `This instance was deployed to the account ${known}, and CLOUDFLARE_ACCOUNT_ID says ${wanted}. ` +
  "Unset it, or take another --name for an instance in that account.";
