import type { OperatorRole, StaffRole } from "@holdfast/contracts";

/** A person who is signed in. */
export type Session = {
  /** The value of the browser's cookie; the database has its hash. */
  id: string;
  subject: string;
  /** The operator's roles; empty for a merchant's staff. */
  roles: ReadonlySet<OperatorRole>;
  /** Set for a merchant's staff, with their roles there. */
  staff?: { merchantId: string; roles: ReadonlySet<StaffRole> } | undefined;
  accessToken: string;
  idToken: string;
  /** The time at which this sign-in was completed. */
  beganAt: Date;
  /** The time at which the person proved who they are, by the provider's `auth_time`. */
  authenticatedAt: Date;
};

/** The state of a session that a browser names. */
export type SessionState = "active" | "idle" | "ended";

/**
 * `idle` where the person did nothing for too long, `ended` where the absolute time or the access token is over: the
 * provider may sign the same person in again without a word, but not after `idle`.
 */
export function stateOfSession(
  session: { seenAt: Date; endsAt: Date; accessEndsAt: Date },
  { now, idleMs }: { now: Date; idleMs: number },
): SessionState {
  if (now.getTime() - session.seenAt.getTime() >= idleMs) return "idle";
  // A request that begins now is verified by the gateway a moment later.
  return now < session.endsAt && now.getTime() + CLOCK_TOLERANCE_MS < session.accessEndsAt.getTime()
    ? "active"
    : "ended";
}

const CLOCK_TOLERANCE_MS = 5_000;

/**
 * True if the sign-in has just been completed: where the gateway does not take its token, another sign-in would lead to
 * the same answer, and so on without end.
 */
export function hasJustBegun({ beganAt }: Pick<Session, "beganAt">, now: Date): boolean {
  return now.getTime() - beganAt.getTime() < JUST_BEGUN_MS;
}

const JUST_BEGUN_MS = 60_000;

/** True if the sign-in is recent enough for a decision about money. */
export function mayDecide({ authenticatedAt }: Session, now: Date, ageMaxMs: number): boolean {
  return now.getTime() - authenticatedAt.getTime() < ageMaxMs;
}
