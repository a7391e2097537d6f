/** The server's side of SCRAM-SHA-256 (RFC 5802, RFC 7677). */
import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from "node:crypto";

export interface Account {
  readonly user: string;
  readonly password: string;
}

const ITERATIONS = 4_096;

/** One login. Both steps take and give the protocol's texts; null means refused. */
export interface Login {
  first(message: string): string | null;
  final(message: string): string | null;
}

export function createLogin(account: Account): Login {
  const salt = randomBytes(28);
  let opened: { readonly nonce: string; readonly firsts: string; readonly user: string } | null = null;
  return {
    first: (message) => {
      const match = /^n,,(n=([^,]*),r=(.*))$/.exec(message);
      if (match === null) return null;
      const [, bare = "", user = "", clientNonce = ""] = match;
      const nonce = clientNonce + randomBytes(18).toString("base64");
      const answer = `r=${nonce},s=${salt.toString("base64")},i=${ITERATIONS}`;
      opened = {
        nonce,
        firsts: `${bare},${answer}`,
        user: user.replaceAll("=2C", ",").replaceAll("=3D", "="),
      };
      return answer;
    },
    final: (message) => {
      const match = /^(c=[^,]*,r=([^,]*)),p=(.*)$/.exec(message);
      if (match === null || opened === null) return null;
      const [, bare = "", nonce = "", proof = ""] = match;
      if (nonce !== opened.nonce || opened.user !== account.user) return null;
      return verify({ salt, password: account.password, proof, signed: `${opened.firsts},${bare}` });
    },
  };
}

interface Proof {
  readonly salt: Buffer;
  readonly password: string;
  readonly proof: string;
  readonly signed: string;
}

function verify({ salt, password, proof, signed }: Proof): string | null {
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, "sha256");
  const clientKey = hmac(salted, "Client Key");
  const signature = hmac(createHash("sha256").update(clientKey).digest(), signed);
  const expected = Buffer.from(clientKey.map((byte, index) => byte ^ (signature[index] ?? 0)));
  const given = Buffer.from(proof, "base64");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  return `v=${hmac(hmac(salted, "Server Key"), signed).toString("base64")}`;
}

const hmac = (key: Buffer, text: string) => createHmac("sha256", key).update(text).digest();
