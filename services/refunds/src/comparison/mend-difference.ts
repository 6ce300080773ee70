import { appendAudit } from "@holdfast/audit";
import type { CommandReply } from "@holdfast/contracts";
import type { Kysely } from "kysely";
import type { RefundsDatabase } from "../database.ts";
import type { PaymentsPort } from "../payments-port.ts";
import type { RefundBank, RefundToSend } from "../refund/refund-bank.ts";
import type { Difference, DifferenceKind } from "./judge-reservation.ts";

export type MendDeps = {
  db: Kysely<RefundsDatabase>;
  payments: Pick<PaymentsPort, "settle" | "release" | "sending">;
  bank: Pick<RefundBank, "inquire">;
  /** A younger reservation without a refund may belong to a request under way. */
  releaseAfterMs: number;
  acquirerTimeoutMs: number;
  now: () => number;
};

/** `why` is a sentence for the person who reads the report. */
export type Mend = { mended: "settled" | "released" } | { mended: false; why: string };

/**
 * Mends only differences that involve no doubt about money:
 * - a SUCCESS refund has been paid, so its reservation is settled;
 * - a FAILED or REJECTED refund was not paid and never will be, so its reservation is released;
 * - a reservation without a refund is released if it is older than `releaseAfterMs` and the bank says that it
 * has paid nothing under any of the refund's references. The refund may have been paid in the time that a
 * restore has lost.
 *
 * @param dryRun only says what would be done.
 */
export async function mendDifference(
  deps: MendDeps,
  difference: Difference,
  { dryRun }: { dryRun: boolean },
): Promise<Mend> {
  const { kind, refund, reservation } = difference;
  if (kind === "success_not_settled" && refund) {
    return dryRun ? CAN_BE : await end(deps, difference, "settled", () => deps.payments.settle(refund));
  }
  if (kind === "end_not_released" && refund) {
    return dryRun ? CAN_BE : await end(deps, difference, "released", () => deps.payments.release(refund));
  }
  if (kind !== "reservation_without_refund" || !reservation) return { mended: false, why: ADVICE[kind] };
  if (reservation.ageSeconds * 1_000 < deps.releaseAfterMs) return { mended: false, why: "it is too young" };
  const lost = {
    refund_id: difference.refundId,
    payment_id: reservation.paymentId,
    merchant_id: reservation.merchantId ?? NO_MERCHANT,
    amount_minor: BigInt(reservation.amountMinor),
    account_id: null,
    currency: "",
    traceparent: null,
  };
  const paid = await wasPaid(deps, { ...lost, kind: reservation.kind ?? "refund" });
  if (paid) return { mended: false, why: paid };
  return dryRun ? CAN_BE : await end(deps, difference, "released", () => deps.payments.release(lost));
}

const NO_MERCHANT = "00000000-0000-0000-0000-000000000000";
const CAN_BE: Mend = { mended: false, why: "--mend mends it" };
/** Remedies that people apply to the other differences; `docs/backup.md` has the steps. */
const ADVICE: Record<DifferenceKind, string> = {
  reservation_without_refund: "settle it with the bank",
  settled_without_refund: "the refund was paid and its record is lost",
  refund_without_reservation: "reject it if nobody has approved it, and settle it with the bank otherwise",
  reservation_released: "reject it if nobody has approved it, and settle it with the bank otherwise",
  settled_before_decision:
    "approve it if it waits: its reference is the same, so the bank pays nothing again",
  success_not_settled: "settle it",
  end_not_released: "release it",
  settled_though_not_paid: "settle it with the bank",
  amount_differs: "settle it with the bank",
};

async function end(
  { db }: MendDeps,
  { kind, refundId, refund, reservation }: Difference,
  mended: "settled" | "released",
  tell: () => Promise<CommandReply<unknown>>,
): Promise<Mend> {
  const reply = await tell();
  if (reply.outcome !== "done") {
    const answer = reply.outcome === "problem" ? reply.code : reply.outcome;
    return { mended: false, why: `payments answered ${answer}` };
  }
  await db.transaction().execute((trx) =>
    appendAudit(trx, {
      actor: "compare-reservations",
      action: `reservation.${mended}`,
      subject: refundId,
      detail: { difference: kind, refund: refund?.state, paymentId: reservation?.paymentId },
    }),
  );
  return { mended };
}

/** Asks about each reference that the refund may have been sent under. @returns why it may have been paid. */
async function wasPaid(deps: MendDeps, refund: RefundToSend): Promise<string | undefined> {
  const sending = await deps.payments.sending(refund);
  if (sending.outcome !== "done") return `payments answered ${sending.outcome}`;
  const { arrivesUntil } = sending.result;
  if (arrivesUntil !== undefined) return `it may still arrive at the bank, until ${arrivesUntil}`;
  for (let sub = 1; sub <= REFERENCES_MAX; sub++) {
    const waitUntil = new Date(deps.now() + deps.acquirerTimeoutMs);
    const inquiry = await deps.bank.inquire(refund, waitUntil, sub);
    switch (inquiry.kind) {
      case "not_found":
      case "declined":
        return undefined;
      case "expired":
        // That reference expired unused; the refund may have been paid under the next one.
        continue;
      case "approved":
        return "the bank has paid it: it has to be booked by hand";
      case "reversed":
      case "unknown":
      case "not_sent":
        return `the bank does not say whether it has paid it (${inquiry.kind})`;
      default:
        return inquiry satisfies never;
    }
  }
  return "the bank calls one reference after the other too late";
}

const REFERENCES_MAX = 100;
