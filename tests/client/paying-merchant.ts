import type { Holdfast, PaymentRequest } from "@holdfast/client";

/** The client's answer about an amount that no other call has. */
export type AnsweredCall = {
  amountMinor: number;
  /** The bank's operation that the call is about. */
  operation: "sale" | "authorize" | "capture" | "refund";
  outcome: "done" | "declined" | "not_started";
  /** The code of a call that was not started. */
  reason?: string;
  /** The record that the answer names; absent if nothing was started. */
  paymentId?: string;
  /** The number of times that the call ended as unknown, and was repeated under its key. */
  unknowns: number;
  attempts: number;
};

/** A merchant's kinds of purchase, with an amount of its own for every call that moves money. */
export type Purchase = "sale" | "declined_sale" | "captured" | "refunded";
export const PURCHASES: readonly Purchase[] = ["sale", "declined_sale", "captured", "refunded"];

/** Makes a purchase by the client's documentation: an unknown outcome is asked for again under its key. */
export async function purchase(
  holdfast: Holdfast,
  kind: Purchase,
  amountMinor: number,
): Promise<AnsweredCall[]> {
  const order = { ...cardPayment(kind), orderId: `order-${amountMinor}`, amount: major(amountMinor) };
  if (kind === "sale" || kind === "declined_sale") {
    return [await tell("sale", amountMinor, (key) => holdfast.payments.create(order, key))];
  }
  const first =
    kind === "captured"
      ? await tell("authorize", amountMinor, (key) => holdfast.payments.authorize(order, key))
      : await tell("sale", amountMinor, (key) => holdfast.payments.create(order, key));
  const { paymentId, outcome } = first;
  if (outcome !== "done" || paymentId === undefined) return [first];
  // Covers the whole amount, so that the bank would refuse a second execution.
  const second =
    kind === "captured"
      ? await tell("capture", amountMinor, (key) => holdfast.payments.capture(paymentId, {}, key))
      : await tell("refund", amountMinor, (key) =>
          holdfast.refunds.request(paymentId, { amount: major(amountMinor), currency: "TRY" }, key),
        );
  return [first, second];
}

type Outcome = Awaited<
  ReturnType<Holdfast["payments"]["create" | "capture"] | Holdfast["refunds"]["request"]>
>;

async function tell(
  operation: AnsweredCall["operation"],
  amountMinor: number,
  call: (options: { idempotencyKey?: string }) => Promise<Outcome>,
): Promise<AnsweredCall> {
  let ended = await call({});
  let { attempts } = ended;
  for (let unknowns = 0; unknowns < REPEATS_MAX; unknowns++) {
    if (ended.outcome !== "unknown") {
      const record = "payment" in ended ? ended.payment : "refund" in ended ? ended.refund : undefined;
      const named = record?.paymentId === undefined ? {} : { paymentId: record.paymentId };
      const reason = "error" in ended && ended.error !== undefined ? { reason: ended.error.code } : {};
      return { amountMinor, operation, outcome: ended.outcome, unknowns, attempts, ...reason, ...named };
    }
    ended = await call({ idempotencyKey: ended.idempotencyKey });
    attempts += ended.attempts;
  }
  throw new Error(`${operation} of ${amountMinor} stays unknown`);
}

const REPEATS_MAX = 50;

function cardPayment(kind: Purchase): Omit<PaymentRequest, "orderId" | "amount"> {
  return {
    currency: "TRY",
    cardHolderName: "Ada Lovelace",
    pan: kind === "declined_sale" ? "4000000000000002" : "4111111111111111",
    expiryMonth: "12",
    expiryYear: String((new Date().getUTCFullYear() + 2) % 100).padStart(2, "0"),
    cvv: "123",
    requestIp: "203.0.113.7",
    requestPort: 443,
  };
}

function major(amountMinor: number): string {
  return `${Math.floor(amountMinor / 100)}.${String(amountMinor % 100).padStart(2, "0")}`;
}
