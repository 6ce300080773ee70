import type { Authentication, Challenge, CompletionOutcome, EnrolmentOutcome } from "@holdfast/acquirer";
import type { SoughtCard } from "./card-in-text.ts";
import { challengeFault } from "./challenge-fault.ts";
import { decideAuthorization, type AuthorizationDecision } from "../../payment/authorization-outcome.ts";

/** The decision on a payment that is being enrolled, by the acquirer's answer. */
export type EnrolmentDecision =
  | { to: "ENROLLED"; session: string; challenge: Challenge }
  | { to: "AUTHORIZING"; session: string; authentication: Authentication }
  | Exclude<AuthorizationDecision, { to: "UNKNOWN" }>;

/**
 * Decides on an enrolment's outcome. An enrolment moves no money, so a lost answer needs no inquiry: its
 * challenge cannot be shown, and a reversal binds the reference at the acquirer. A challenge that must not be
 * stored is not shown either.
 */
export function decideEnrolment(outcome: EnrolmentOutcome, card: SoughtCard): EnrolmentDecision {
  switch (outcome.kind) {
    case "challenge": {
      const { session, challenge } = outcome;
      const fault = challengeFault(outcome, card);
      return fault ? { to: "REVERSING", cause: fault } : { to: "ENROLLED", session, challenge };
    }
    case "authenticated":
      return { to: "AUTHORIZING", session: outcome.session, authentication: outcome.authentication };
    case "unknown":
      return { to: "REVERSING", cause: outcome.reason };
    case "declined":
    case "expired":
    case "not_sent": {
      const decision = decideAuthorization(outcome);
      if (decision.to === "UNKNOWN") throw new Error(`${outcome.kind} is not known`);
      return decision;
    }
    default:
      return outcome satisfies never;
  }
}

/**
 * Decides on a completion. The enrolment was sent under the same reference, so a completion that was not sent
 * leaves the outcome unknown.
 */
export function decideCompletion(outcome: CompletionOutcome): AuthorizationDecision {
  switch (outcome.kind) {
    case "not_sent":
      return { to: "UNKNOWN", cause: "acquirer_unavailable" };
    case "not_genuine":
      return { to: "UNKNOWN", cause: `return_${outcome.why}` };
    default:
      return decideAuthorization(outcome);
  }
}
