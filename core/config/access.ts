/** `instance.access`: whom Cloudflare Access lets in, and as what. */
import { z } from "zod";
import { ROLES, type Role } from "../access/roles.ts";

const MAX_ENTRIES = 1_000;
/** At least two labels, the last one of letters: no address by number, no local name. */
const HOST = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;
const PERSON = /^[^\s@*]{1,64}@[^\s@*]{1,255}$/;
const DOMAIN = /^\*@[^\s@*]{1,255}$/;
const SERVICE = /^[^\s@*]{1,255}$/;

const audience = z.string().min(1).max(200);

export const accessSchema = z.strictObject({
  /** `<team>.cloudflareaccess.com`: its keys sign, and it is the issuer. */
  teamDomain: z
    .string()
    .regex(HOST, "Must be a host name such as team.cloudflareaccess.com, without https://"),
  /** The AUD tag of the Access application, or those of several. */
  audience: z.union([audience, z.array(audience).min(1).max(20)]),
  roles: z
    .record(
      z.string().refine(isSubject, "Must be an e-mail address, *@domain, or a service token's client id"),
      z.enum(ROLES),
    )
    .refine((roles) => Object.keys(roles).length <= MAX_ENTRIES, `At most ${MAX_ENTRIES}`),
});

export type AccessConfig = z.infer<typeof accessSchema>;

function isSubject(text: string): boolean {
  return PERSON.test(text) || DOMAIN.test(text) || SERVICE.test(text);
}

/** Whom Access has let in: an e-mail address that it has checked, or the common name of what a program came with. */
export interface AccessSubject {
  readonly kind: "person" | "service";
  readonly name: string;
}

/**
 * The role of who Access has let in; null when none is given. An entry of its own goes before that of its domain. Case
 * makes no difference. A common name is what its certificate says, so it is nobody's e-mail address.
 */
export function roleOf(roles: AccessConfig["roles"], { kind, name }: AccessSubject): Role | null {
  if (kind === "service" && name.includes("@")) return null;
  const wanted = name.toLowerCase();
  const domain = wanted.includes("@") ? `*${wanted.slice(wanted.lastIndexOf("@"))}` : null;
  const entries = Object.entries(roles).map(([key, role]) => [key.toLowerCase(), role] as const);
  const found = (key: string) => entries.find(([entry]) => entry === key)?.[1] ?? null;
  return found(wanted) ?? (domain === null ? null : found(domain));
}
