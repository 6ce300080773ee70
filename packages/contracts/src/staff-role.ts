import type { StaleSignIn } from "./operator-role.ts";

/**
 * The roles of a merchant's staff, for their merchant alone. They are a set, not a ladder; any role may read.
 *
 * - `support` reads,
 * - `refunds` requests refunds, captures and cancels,
 * - `developer` changes API keys and webhook endpoints, sends webhooks again, and reads their bodies,
 * - `owner` does all of this, and creates payment links.
 */
export const STAFF_ROLES = ["support", "refunds", "developer", "owner"] as const;
export type StaffRole = (typeof STAFF_ROLES)[number];

/** True if a person with these roles has the rights of the given role. */
export function staffMayAct(roles: ReadonlySet<StaffRole>, role: StaffRole): boolean {
  switch (role) {
    case "support":
      return roles.size > 0;
    case "refunds":
    case "developer":
      return roles.has(role) || roles.has("owner");
    case "owner":
      return roles.has("owner");
    default:
      return role satisfies never;
  }
}

/** A person of a merchant's staff, whose token was verified. Without a role they may do nothing. */
export type VerifiedStaff = {
  /** The token's `sub`. */
  subject: string;
  /** See `personOf`. */
  person: string;
  /** The merchant itself, a UUIDv7; records of test mode are under its `idInMode`. */
  merchantId: string;
  roles: ReadonlySet<StaffRole>;
  staleSignIn?: StaleSignIn | undefined;
};
