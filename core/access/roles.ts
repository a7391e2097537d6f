/** Who may do what: three roles, each of which includes the ones before it. */

export const ROLES = ["read", "operate", "admin"] as const;

export type Role = (typeof ROLES)[number];

/** Whether a role opens what needs `needed`. */
export function includesRole(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** The role of that name; null where there is none. */
export function roleNamed(name: string): Role | null {
  return ROLES.find((role) => role === name) ?? null;
}
