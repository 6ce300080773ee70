import type { Challenge, CommandReply, SessionState } from "@holdfast/contracts";
import { isUnsettled } from "../payment/payment.ts";
import { paymentRecord } from "../payment/payment-record.ts";
import type { SessionPayment } from "./session-queries.ts";

/** The challenge, while it is open. */
export function challengeOf({ session, isOpen }: SessionPayment): Challenge | undefined {
  const { page_url: pageUrl, challenge_url: url, challenge_fields: fields, expires_at } = session;
  if (!isOpen || url === null || fields === null) return undefined;
  return { pageUrl, url, fields, expiresAt: expires_at.toISOString() };
}

/** The answer to the public pages: `pending` until the payment has ended. */
export function sessionState(
  found: SessionPayment,
): Extract<CommandReply<SessionState>, { result: unknown }> {
  const { payment, session } = found;
  const challenge = challengeOf(found);
  const isEnded = !isUnsettled(payment.state) && payment.state !== "ENROLLED";
  return {
    outcome: isEnded ? "done" : "pending",
    result: {
      payment: paymentRecord(payment),
      successUrl: session.success_url,
      failureUrl: session.failure_url,
      ...(challenge && { challenge }),
    },
  };
}
