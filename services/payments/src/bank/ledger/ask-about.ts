import {
  inquireAbout,
  namesShown,
  type Attempt,
  type BankMovement,
  type InquiryOutcome,
  type NotSent,
  type Verdict,
} from "@holdfast/acquirer";
import type { BusinessEvents } from "../../payment/business-events.ts";
import type { Bank } from "../calls/bank.ts";
import { cardOperationOf, orderOf, paymentAttempt, type OrderedPayment } from "./attempts.ts";
import { besideApproval, chargeOf, type BankCall } from "./bank-call.ts";

export type AskDeps = {
  bank: Bank;
  events: Pick<BusinessEvents, "answerMismatched" | "holdStands">;
  now: () => number;
};

/** Has people look at a bank's record that does not fit together; `observeAcquirer` counts other mismatches. */
export function reportMismatch(
  { events }: Pick<AskDeps, "events">,
  payment: OrderedPayment,
  { verdict, inquiry }: { verdict: Verdict; inquiry: InquiryOutcome },
): void {
  if (inquiry.kind === "found" && verdict.kind === "unknown" && verdict.reason === "mismatch")
    events.answerMismatched(payment);
}

/** Asks about one attempt. @returns the verdict, with everything that the bank has shown of the order. */
export async function askAboutOrder(
  deps: AskDeps,
  payment: OrderedPayment,
  attempt: Attempt,
): Promise<{ verdict: Verdict; inquiry: InquiryOutcome }> {
  return inquireAbout(deps.bank.of(payment.account_id), orderOf(payment), attempt, waitUntil(deps));
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
  for (const reference of new Set([payment.payment_id, ...captures])) {
    // Some banks answer about one reference alone, whatever its kind.
    const kind = reference === payment.payment_id ? cardOperationOf(payment) : "capture";
    const inquiry = await inquire(deps, payment, { reference, kind });
    if (inquiry.kind === "unknown" || inquiry.kind === "not_sent") return undefined;
    if (inquiry.kind === "found" && inquiry.movements.some(isCapture)) return true;
  }
  return false;
}

function isCapture({ kind, state }: BankMovement): boolean {
  return kind === "capture" && state === "approved";
}

/**
 * Asks the bank what became of a payment's authorization or sale. @param calls of the payment: what the bank has said of it
 * before counts beside what it shows. None where only what it shows now counts.
 */
export async function askAboutCharge(
  deps: AskDeps,
  payment: OrderedPayment,
  calls: readonly BankCall[],
): Promise<Verdict> {
  const { verdict: shown, inquiry } = await askAboutOrder(deps, payment, paymentAttempt(payment));
  const verdict = besideApproval(shown, chargeOf(calls));
  reportMismatch(deps, payment, { verdict, inquiry });
  return verdict;
}

/**
 * Asks for the names that an order has before one more movement of a kind is sent for it: see `namesShown`. A bank that has no
 * record of the order any more never gives them, so that only people can go on.
 */
export async function askNames(
  deps: AskDeps,
  payment: OrderedPayment,
  attempt: Pick<Attempt, "reference" | "kind">,
): Promise<readonly string[] | NotSent> {
  const inquiry = await inquire(deps, payment, attempt);
  if (inquiry.kind === "not_sent") return inquiry;
  const isGone = inquiry.kind === "not_found";
  return namesShown(inquiry, attempt.kind) ?? { kind: "not_sent", ...(isGone && { reason: "no_record" }) };
}

function inquire(
  deps: AskDeps,
  payment: OrderedPayment,
  { reference, kind }: Pick<Attempt, "reference" | "kind">,
): Promise<InquiryOutcome> {
  const { currency, account_id } = payment;
  const request = { ...orderOf(payment), reference, kind, currency, waitUntil: waitUntil(deps) };
  return deps.bank.of(account_id).inquire(request);
}

/** The end of our own wait for a call that begins now. */
export function waitUntil({ now, bank }: Pick<AskDeps, "now" | "bank">): Date {
  return new Date(now() + bank.callMs);
}
