import {
  inquireAbout,
  type Attempt,
  type BankMovement,
  type InquiryRequest,
  type Verdict,
} from "@holdfast/acquirer";
import type { Acquirers } from "../calls/acquirers.ts";
import { cardOperationOf, orderOf, type OrderedPayment } from "./attempts.ts";
import type { BankCall } from "./bank-call.ts";

export type AskDeps = {
  acquirers: Acquirers;
  /** Bound of one acquirer call. */
  acquirerTimeoutMs: number;
  now: () => number;
};

/** Asks the bank what became of one attempt of a payment. */
export function askAbout(deps: AskDeps, payment: OrderedPayment, attempt: Attempt): Promise<Verdict> {
  return inquireAbout(deps.acquirers.of(payment.account_id), orderOf(payment), attempt, waitUntil(deps));
}

/**
 * Asks whether the bank shows a capture: one of ours, or any, where it does not give our references back.
 * @returns undefined where it gives no answer.
 */
export async function showsCapture(
  deps: AskDeps,
  payment: OrderedPayment,
  calls: readonly Pick<BankCall, "kind" | "reference">[],
): Promise<boolean | undefined> {
  const captures = calls.filter(({ kind }) => kind === "capture").map(({ reference }) => reference);
  const { currency } = payment;
  for (const reference of new Set([payment.payment_id, ...captures])) {
    // Some banks answer about one reference alone, whatever its kind.
    const request: InquiryRequest = {
      ...orderOf(payment),
      reference,
      kind: reference === payment.payment_id ? cardOperationOf(payment) : "capture",
      currency,
      waitUntil: waitUntil(deps),
    };
    const inquiry = await deps.acquirers.of(payment.account_id).inquire(request);
    if (inquiry.kind === "unknown" || inquiry.kind === "not_sent") return undefined;
    if (inquiry.kind === "found" && inquiry.movements.some(isCapture)) return true;
  }
  return false;
}

function isCapture({ kind, state }: BankMovement): boolean {
  return kind === "capture" && state === "approved";
}

/** The end of our own wait for a call that begins now. */
export function waitUntil({ now, acquirerTimeoutMs }: Pick<AskDeps, "now" | "acquirerTimeoutMs">): Date {
  return new Date(now() + acquirerTimeoutMs);
}
