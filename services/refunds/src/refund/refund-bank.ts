import { randomUUID } from "node:crypto";
import {
  carryOutRefundAtBank,
  inquireRefundAtBank,
  type CommandReply,
  type RefundAnswer,
  type RefundAtBank,
} from "@holdfast/contracts";
import { request, type Bus } from "@holdfast/messaging";
import { answered } from "../payments-port.ts";
import type { RefundRow } from "./refund-record.ts";

/** The parts of a refund that go to the bank. */
export type RefundToSend = Pick<
  RefundRow,
  "refund_id" | "payment_id" | "merchant_id" | "account_id" | "kind" | "amount_minor" | "currency"
> & { traceparent: string | null };

/**
 * The end of one step at the bank: its answer, our reference if the bank was asked, and whether the next step
 * may follow immediately.
 */
export type BankStep = { answer: RefundAnswer; reference?: string; again?: "now" | undefined };

/**
 * The bank as refunds reach it: by way of `payments`, which alone calls banks, and decides whether a refund
 * is sent, inquired about or sent again. No method throws because of the bus, `payments` or the bank.
 */
export type RefundBank = {
  /** Pays the refund, or releases its part of an authorization. @param resumed whether it may have been sent before. */
  carryOut(refund: RefundToSend, resumed: boolean, waitUntil: Date): Promise<BankStep>;
  /** Asks about the reference under which it was sent last, or under its n-th, and sends nothing. */
  inquire(refund: RefundToSend, waitUntil: Date, subReference?: number): Promise<RefundAnswer>;
};

export function createRefundBank(bus: Bus): RefundBank {
  const wireOf = ({ traceparent }: RefundToSend, waitUntil: Date) => {
    const deadlineAt = waitUntil.getTime();
    return {
      context: { requestId: randomUUID(), deadlineAt, service: { name: "refunds" } },
      // The deadline is later than the bank's, so that an answer in the last moment arrives.
      wire: { waitUntil: deadlineAt + ANSWER_GRACE_MS, traceparent: traceparent ?? "", once: true },
    };
  };
  return {
    async carryOut(refund, resumed, waitUntil) {
      const { context, wire } = wireOf(refund, waitUntil);
      const payload = { ...atBank(refund), resumed };
      const reply = await answered(() => request(bus, carryOutRefundAtBank, context, payload, wire));
      return reply.outcome === "done" ? reply.result : { answer: withoutAnswer(reply) };
    },
    async inquire(refund, waitUntil, subReference) {
      const { context, wire } = wireOf(refund, waitUntil);
      const payload = { ...atBank(refund), ...(subReference !== undefined && { subReference }) };
      const reply = await answered(() => request(bus, inquireRefundAtBank, context, payload, wire));
      return reply.outcome === "done" ? reply.result.answer : withoutAnswer(reply);
    },
  };
}

/** The bank's answer where it ends the refund: a refusal, or that it has paid exactly what was asked for. */
export function endBy(
  { amount_minor, currency }: Pick<RefundRow, "amount_minor" | "currency">,
  answer: RefundAnswer,
): Extract<RefundAnswer, { kind: "approved" | "declined" }> | undefined {
  if (answer.kind === "declined") return answer;
  if (answer.kind !== "approved") return undefined;
  return BigInt(answer.amountMinor) === amount_minor && answer.currency === currency ? answer : undefined;
}

function atBank(refund: RefundToSend): RefundAtBank {
  return {
    refundId: refund.refund_id,
    paymentId: refund.payment_id,
    kind: refund.kind!,
    amountMinor: refund.amount_minor.toString(),
    currency: refund.currency,
  };
}

/** The outcome where `payments` gives no answer, or refuses. */
function withoutAnswer(reply: CommandReply<unknown>): RefundAnswer {
  if (reply.outcome === "problem" && (reply.code === "refund_not_agreed" || reply.code === "refund_pending"))
    return { kind: "not_sent", cause: reply.code };
  const { outcome } = reply;
  return outcome === "in_doubt" || outcome === "pending" ? { kind: "unknown", cause: "timeout" } : NOT_SENT;
}

/** The bank was certainly not asked. */
export const NOT_SENT = { kind: "not_sent", cause: "acquirer_unavailable" } as const;

const ANSWER_GRACE_MS = 2_000;
