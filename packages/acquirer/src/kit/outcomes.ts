import type { Authentication, NotGenuine, NotSent, Unknown } from "../acquirer.ts";

/** It is no answer of the protocol, or says nothing certain about the call. */
export const INVALID_ANSWER: Unknown = { kind: "unknown", reason: "invalid_answer" };
export const MISMATCH: Unknown = { kind: "unknown", reason: "mismatch" };
export const PENDING: Unknown = { kind: "unknown", reason: "pending" };
export const UNSUPPORTED: NotSent = { kind: "not_sent", reason: "unsupported" };

export function notGenuine(why: NotGenuine["why"]): NotGenuine {
  return { kind: "not_genuine", why };
}

/** A judged call of 3-D Secure carries the result of its authentication, as evidence in a dispute. */
export function withAuthentication<Outcome extends { kind: string }>(
  outcome: Outcome,
  authentication: Authentication,
): Outcome | (Outcome & { authentication: Authentication }) {
  const isJudged = outcome.kind === "approved" || outcome.kind === "declined";
  return isJudged ? { ...outcome, authentication } : outcome;
}
