import type { Authentication, NotGenuine, NotSent, Unknown } from "../acquirer.ts";
import type { ProbeOutcome } from "../connector.ts";

/** The bytes are no answer of the protocol, or prove nothing about the call. */
export const INVALID_ANSWER: Unknown = { kind: "unknown", reason: "invalid_answer" };
export const MISMATCH: Unknown = { kind: "unknown", reason: "mismatch" };
export const PENDING: Unknown = { kind: "unknown", reason: "pending" };
export const UNSUPPORTED: NotSent = { kind: "not_sent", reason: "unsupported" };

export function notGenuine(why: NotGenuine["why"]): NotGenuine {
  return { kind: "not_genuine", why };
}

/**
 * The end of a probe that asked for an order that does not exist, if the bank did not answer that the order
 * is unknown.
 * @param refused the parts of the account that the bank refuses, if it refuses the caller.
 */
export function probedBy(outcome: Unknown | NotSent | { kind: "found" }, refused: string): ProbeOutcome {
  switch (outcome.kind) {
    case "found":
      return { kind: "unreachable", detail: "an answer about an order that does not exist" };
    case "unknown":
      return { kind: "unreachable", detail: `no answer of the protocol: ${outcome.reason}` };
    case "not_sent":
      return outcome.reason === "credentials"
        ? { kind: "credentials", detail: `the bank refuses ${refused}` }
        : { kind: "unreachable", detail: "no connection" };
    default:
      return outcome satisfies never;
  }
}

/** A judged call of 3-D Secure carries the result of its authentication, as evidence in a dispute. */
export function withAuthentication<Outcome extends { kind: string }>(
  outcome: Outcome,
  authentication: Authentication,
): Outcome | (Outcome & { authentication: Authentication }) {
  const isJudged = outcome.kind === "approved" || outcome.kind === "declined";
  return isJudged ? { ...outcome, authentication } : outcome;
}
