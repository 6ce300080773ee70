import { expect, test } from "vitest";

import { credit, declinedSale, hold, order, payment, row, rules } from "../../test/orders.ts";
import { merchant, NOON } from "../../test/test-bank.ts";
import type { Rules } from "../modes.ts";
import { decidePayment } from "./decide-payment.ts";
import type { PaymentCard, PaymentRequest } from "./money-request.ts";
import type { Order } from "./order.ts";
import { approved, declined, refused } from "./refusals.ts";

test("a first payment of an order is approved", () => {
  expect(decide()).toEqual(approved);
});

test.each([
  ["a sale", row()],
  ["a settled sale", row({ status: "settled" })],
  ["a hold", hold()],
  ["a captured hold", hold({ status: "captured" })],
])("an order with %s takes no other payment", (_, existing) => {
  expect(decide({ order: order(existing) })).toEqual(refused(2507));
});

test("a declined payment leaves the order id free", () => {
  expect(decide({ order: order(declinedSale()) })).toEqual(approved);
});

test("a refused refund does not count as a payment of the order", () => {
  expect(decide({ order: order(credit(100n, { status: "declined" })) })).toEqual(approved);
});

test("a voided payment leaves the order id free at banks with that rule, and in use at others", () => {
  const voided = order(row({ status: "voided" }));
  expect(decide({ order: voided })).toEqual(approved);
  expect(decide({ order: voided, rules: { voidedFreesOrderId: false } })).toEqual(refused(2302));
});

test("while the bank reverses what its host did not answer the order takes no payment", () => {
  const timedOut = order(declinedSale({ procReturnCode: "92" }));
  expect(decide({ order: timedOut, nowMs: NOON + 4_999 })).toEqual(refused(2016));
  expect(decide({ order: timedOut, nowMs: NOON + 5_000 })).toEqual(approved);
  expect(decide({ order: order(declinedSale({ procReturnCode: "91" })) })).toEqual(approved);
});

test.each([
  ["is negative", { amountMinor: -1n }, 1024],
  ["is zero", { amountMinor: 0n }, 2009],
  ["is in a currency that the merchant does not have", { currency: "RSD" }, 1010],
  ["is in installments of another currency than lira", { currency: "EUR", installments: 2 }, 2124],
  ["has more installments than the merchant may", { installments: 13 }, 2603],
] as const)("a payment is refused that %s", (_, changes, code) => {
  expect(decide({ request: changes })).toEqual(refused(code));
});

test("as many installments as the merchant may are taken, and none by a merchant without them", () => {
  expect(decide({ request: { installments: 12 } })).toEqual(approved);
  expect(decide({ request: { installments: 2 }, options: { installmentsMax: 0 } })).toEqual(refused(2204));
  expect(decide({ options: { installmentsMax: 0 } })).toEqual(approved);
});

test("Taksit 1 means one payment at banks that take it, and is refused at others", () => {
  expect(decide({ request: { namesOne: true } })).toEqual(approved);
  const strict = { installmentOneRefused: true };
  expect(decide({ request: { namesOne: true }, rules: strict })).toEqual(refused(2603));
  expect(decide({ rules: strict })).toEqual(approved);
});

test.each([
  ["no number", { pan: "" }, 2015],
  ["a wrong check digit", { pan: "4355084355084357" }, 2012],
  ["too few digits", { pan: "42" }, 2012],
  ["a month that is over", { expiryMonth: 10, expiryYear: 26 }, 2010],
  ["no CVV", { cvv: "" }, 2208],
  ["a CVV of other characters", { cvv: "12a" }, 2515],
] as const)("a card with %s is refused", (_, changes, code) => {
  expect(decide({ card: changes })).toEqual(refused(code));
});

test("a card is good until its month ends in Turkey", () => {
  const lastMoment = Date.parse("2026-11-30T23:59:59.999+03:00");
  const november = { expiryMonth: 11, expiryYear: 26 };
  expect(decide({ card: november, nowMs: lastMoment })).toEqual(approved);
  expect(decide({ card: november, nowMs: lastMoment + 1 })).toEqual(refused(2010));
});

test("a merchant without the duty of a CVV may leave it out", () => {
  expect(decide({ card: { cvv: "" }, options: { cvvRequired: false } })).toEqual(approved);
});

test("the issuer declines the CVV 082", () => {
  expect(decide({ card: { cvv: "082" } })).toEqual(declined("82"));
});

function decide(
  given: {
    order?: Order;
    request?: Partial<PaymentRequest>;
    card?: Partial<Extract<PaymentCard, { kind: "pan" }>>;
    rules?: Partial<Rules>;
    options?: object;
    nowMs?: number;
  } = {},
) {
  const request = payment(given.request);
  return decidePayment(
    given.order,
    { ...request, card: { ...request.card, ...given.card } as PaymentCard },
    {
      nowMs: given.nowMs ?? NOON,
      reversalMs: 5_000,
      rules: rules(given.rules),
      options: merchant({ options: given.options ?? {} }).options,
    },
  );
}
