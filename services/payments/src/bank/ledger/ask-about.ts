import {
  inquireAbout,
  namesShown,
  type Attempt,
  type InquiryOutcome,
  type NotSent,
  type Verdict,
} from "@holdfast/acquirer";
import type { BusinessEvents } from "../../payment/business-events.ts";
import type { Bank } from "../calls/bank.ts";
import { orderOf, paymentAttempt, type OrderedPayment } from "./attempts.ts";
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
 * The bank's record of an authorization. `captured`: it has a valid capture, whoever made it. `standing`: it
 * is valid and not captured. `gone`: it is no longer valid. `unknown`: the bank gives no answer, or an answer
 * that decides nothing.
 */
export type HoldShown = "captured" | "standing" | "gone" | "unknown";

/** Asks the bank about an authorization, and about our captures where it answers about one reference alone. */
export async function askAboutHold(
  deps: AskDeps,
  payment: OrderedPayment,
  calls: readonly Pick<BankCall, "kind" | "reference">[],
): Promise<HoldShown> {
  const { verdict, inquiry } = await askAboutOrder(deps, payment, paymentAttempt(payment));
  const captures = calls.filter(({ kind }) => kind === "capture").map(({ reference }) => reference);
  let capture = captureShown(inquiry);
  for (const reference of new Set(captures)) {
    if (capture !== "none") break;
    capture = captureShown(await inquire(deps, payment, { reference, kind: "capture" }));
  }
  if (capture !== "none") return capture;
  if (verdict.kind === "approved") return "standing";
  return verdict.kind === "unknown" ? "unknown" : "gone";
}

function captureShown(inquiry: InquiryOutcome): "captured" | "none" | "unknown" {
  if (inquiry.kind === "unknown" || inquiry.kind === "not_sent") return "unknown";
  const movements = inquiry.kind === "found" ? inquiry.movements : [];
  const captures = movements.filter(({ kind }) => kind === "capture");
  if (captures.some(({ state }) => state === "approved")) return "captured";
  return captures.some(({ state }) => state === "pending") ? "unknown" : "none";
}

/**
 * Asks the bank for the outcome of a payment's authorization or sale.
 * @param calls the payment's calls, whose answers count beside the bank's present record. Empty if only the
 * present record counts.
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
 * Asks for the names that an order has before one more movement of a kind is sent for it: see `namesShown`. A
 * bank that no longer has a record of the order never returns them, and then only an operator can continue.
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
