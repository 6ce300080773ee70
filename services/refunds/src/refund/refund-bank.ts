import { randomUUID } from "node:crypto";
import type { Verdict } from "@holdfast/acquirer";
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
  "refund_id" | "payment_id" | "merchant_id" | "account_id" | "kind" | "amount_minor" | "currency"
> & { created_at: Date; traceparent: string | null };

/** The end of one step at the bank: what it says, our reference there if it was asked, and whether the next step need not wait. */
export type BankStep = { verdict: Verdict; reference?: string; again?: "now" };

/**
 * The bank as refunds reach it: by way of `payments`, which alone talks to banks, and decides whether a refund is sent, asked
 * about or sent again. No method throws for what the bus, the other side or the bank does.
 */
export type RefundBank = {
  /** Pays the refund, or releases its part of an authorization. @param resumed whether it may have been sent before. */
  carryOut(refund: RefundToSend, resumed: boolean, waitUntil: Date): Promise<BankStep>;
  /** Asks about the reference under which it was sent last, or under its n-th, and sends nothing. */
  inquire(refund: RefundToSend, waitUntil: Date, subReference?: number): Promise<Verdict>;
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
      if (reply.outcome !== "done") return { verdict: withoutAnswer(reply) };
      const { answer, reference, again } = reply.result;
      return { verdict: verdictOf(answer), reference, ...(again && { again }) };
    },
    async inquire(refund, waitUntil, subReference) {
      const { context, wire } = wireOf(refund, waitUntil);
      const payload = { ...atBank(refund), ...(subReference !== undefined && { subReference }) };
      const reply = await answered(() => request(bus, inquireRefundAtBank, context, payload, wire));
      return reply.outcome === "done" ? verdictOf(reply.result.answer) : withoutAnswer(reply);
    },
  };
}

/** The bank's answer where it ends the refund: a refusal, or that it has paid exactly what was asked for. */
export function endBy(
  { amount_minor, currency }: Pick<RefundRow, "amount_minor" | "currency">,
  verdict: Verdict,
): Extract<Verdict, { kind: "approved" | "declined" }> | undefined {
  if (verdict.kind === "declined") return verdict;
  if (verdict.kind !== "approved") return undefined;
  return verdict.amountMinor === amount_minor && verdict.currency === currency ? verdict : undefined;
}

async function answered<Result>(ask: () => Promise<CommandReply<Result>>): Promise<CommandReply<Result>> {
  try {
    return await ask();
  } catch (error) {
    // The other side could not read it: a bug, and nothing was started.
    return { outcome: error instanceof MessageRejectedError ? "not_started" : "in_doubt" };
  }
}

function atBank(refund: RefundToSend): RefundAtBank {
  return {
    refundId: refund.refund_id,
    paymentId: refund.payment_id,
    kind: refund.kind!,
    amountMinor: refund.amount_minor.toString(),
    currency: refund.currency,
    decidedAt: refund.created_at.toISOString(),
  };
}

/** The outcome where `payments` gives no answer, or refuses. */
function withoutAnswer({ outcome }: CommandReply<unknown>): Verdict {
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

const ANSWER_GRACE_MS = 2_000;
