/**
 * The roles of operators. They are a set, not a ladder: a company gives each person the roles that they need.
 * Any role may read everything except webhooks' bodies and files of evidence, which may have whole card
 * numbers.
 *
 * - `approver` approves and rejects refunds,
 * - `onboarder` changes merchants, their credentials and their webhook endpoints,
 * - `operations` settles what the bank left open, sends webhooks again and reads their bodies, requests
 *   refunds for merchants, and reads evidence,
 * - `admin` locks people out, and does everything except an approver's decisions: nobody who gives others the
 *   rights to request money decides about it by the same role.
 */
export const OPERATOR_ROLES = ["viewer", "approver", "onboarder", "operations", "admin"] as const;
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

/** True if a person with these roles has the rights of the given role. */
export function mayAct(roles: ReadonlySet<OperatorRole>, role: OperatorRole): boolean {
  switch (role) {
    case "viewer":
      return roles.size > 0;
    case "approver":
    case "admin":
      return roles.has(role);
    case "onboarder":
    case "operations":
      return roles.has(role) || roles.has("admin");
    default:
      return role satisfies never;
  }
}

/** A person whose token was verified. Without a role they may do nothing. */
export type VerifiedOperator = {
  subject: string;
  /** See `personOf`. */
  person: string;
  roles: ReadonlySet<OperatorRole>;
  staleSignIn?: StaleSignIn | undefined;
};

/** Present for a sign-in too long ago to decide about money, with the greatest age allowed, in seconds. */
export type StaleSignIn = { maxAgeS: number };
