import { randomUUID } from "node:crypto";
import type { AcquirerOutcome, Repetition, Verdict } from "@holdfast/acquirer";
import {
  carryOutRefundAtBank,
  inquireRefundAtBank,
  type CommandReply,
  type RefundAnswer,
  type RefundAtBank,
} from "@holdfast/contracts";
import { MessageRejectedError, request, type Bus } from "@holdfast/messaging";
import type { RefundRow } from "./refund-record.ts";

/** The parts of a refund that go to the bank. */
export type RefundToSend = Pick<
  RefundRow,
  | "refund_id"
  | "payment_id"
  | "merchant_id"
  | "account_id"
  | "kind"
  | "amount_minor"
  | "currency"
  | "sub_reference"
> & { created_at: Date; traceparent: string | null };

/** The bank's verdict on a refund, and the effect that a second call under its reference would have there. */
export type RefundVerdict = { verdict: Verdict; repetition: Repetition; lateArrivalMs: number };

/**
 * The bank as refunds reach it: by way of `payments`, which alone talks to banks. No method throws for what the bus, the other
 * side or the bank does; a call is sent at most once.
 */
export type RefundBank = {
  /** Pays the refund, or releases its part of an authorization. */
  carryOut(refund: RefundToSend, waitUntil: Date): Promise<AcquirerOutcome>;
  /** Asks about the reference under which it was sent last. */
  inquire(refund: RefundToSend, waitUntil: Date): Promise<RefundVerdict>;
};

export function createRefundBank(bus: Bus): RefundBank {
  const send = async <Result>(
    command: typeof carryOutRefundAtBank | typeof inquireRefundAtBank,
    refund: RefundToSend,
    waitUntil: Date,
  ): Promise<CommandReply<Result>> => {
    const deadlineAt = waitUntil.getTime();
    const context = { requestId: randomUUID(), deadlineAt, service: { name: "refunds" } };
    // The deadline is later than the bank's, so that an answer in the last moment arrives.
    const wire = {
      waitUntil: deadlineAt + ANSWER_GRACE_MS,
      traceparent: refund.traceparent ?? "",
      once: true,
    };
    try {
      return (await request(bus, command, context, atBank(refund), wire)) as CommandReply<Result>;
    } catch (error) {
      // The other side could not read it: a bug, and nothing was started.
      return { outcome: error instanceof MessageRejectedError ? "not_started" : "in_doubt" };
    }
  };
  return {
    async carryOut(refund, waitUntil) {
      const reply = await send<{ answer: RefundAnswer }>(carryOutRefundAtBank, refund, waitUntil);
      const outcome = verdictOf(reply.outcome === "done" ? reply.result.answer : answerOf(reply));
      // These two prove no more than a lost answer, once a call was sent.
      return outcome.kind === "reversed" || outcome.kind === "not_found" ? LOST : outcome;
    },
    async inquire(refund, waitUntil) {
      type Result = { answer: RefundAnswer; repetition: Repetition; lateArrivalMs: number };
      const reply = await send<Result>(inquireRefundAtBank, refund, waitUntil);
      if (reply.outcome !== "done")
        return { verdict: verdictOf(answerOf(reply)), repetition: "none", lateArrivalMs: Infinity };
      const { answer, repetition, lateArrivalMs } = reply.result;
      return { verdict: verdictOf(answer), repetition, lateArrivalMs };
    },
  };
}

function atBank(refund: RefundToSend): RefundAtBank {
  return {
    refundId: refund.refund_id,
    paymentId: refund.payment_id,
    kind: refund.kind!,
    amountMinor: refund.amount_minor.toString(),
    currency: refund.currency,
    subReference: refund.sub_reference,
    decidedAt: refund.created_at.toISOString(),
  };
}

/** The call's outcome where `payments` gives no answer, or refuses. */
function answerOf({ outcome }: CommandReply<unknown>): RefundAnswer {
  return outcome === "in_doubt" || outcome === "pending"
    ? { kind: "unknown", reason: "timeout" }
    : { kind: "not_sent" };
}

function verdictOf(answer: RefundAnswer): Verdict {
  switch (answer.kind) {
    case "approved":
      return { ...answer, amountMinor: BigInt(answer.amountMinor) };
    case "declined": {
      const { externalTransactionId, ...declined } = answer;
      return { ...declined, ...(externalTransactionId !== undefined && { externalTransactionId }) };
    }
    case "not_sent": {
      const { kind, reason, notBefore } = answer;
      return { kind, ...(reason && { reason }), ...(notBefore && { notBefore: new Date(notBefore) }) };
    }
    default:
      return answer;
  }
}

const LOST = { kind: "unknown", reason: "invalid_answer" } as const;
const ANSWER_GRACE_MS = 2_000;
