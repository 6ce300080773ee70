import type { Challenge, ChallengeWay, CommandReply, SessionState } from "@holdfast/contracts";
import { isUnsettled } from "../../payment/payment.ts";
import { paymentRecord } from "../../payment/payment-record.ts";
import type { Session, SessionPayment } from "./session-queries.ts";

/** The challenge, while it is open. */
export function challengeOf({ session, isOpen }: SessionPayment): Challenge | undefined {
  const { challenge } = session;
  if (!isOpen || !challenge) return undefined;
  const way = wayToChallenge(session);
  return challenge.type === "html"
    ? { ...way, html: challenge.html }
    : { ...way, url: challenge.url, fields: challenge.fields };
}

/** The challenge's page and end, also once it is over. */
export function wayToChallenge({
  page_url,
  expires_at,
}: Pick<Session, "page_url" | "expires_at">): ChallengeWay {
  return { pageUrl: page_url, expiresAt: expires_at.toISOString() };
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
      merchantId: payment.merchant_id,
      successUrl: session.success_url,
      failureUrl: session.failure_url,
      ...(challenge && { challenge }),
    },
  };
}
