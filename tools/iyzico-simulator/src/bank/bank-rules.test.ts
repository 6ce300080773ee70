import { expect, test } from "vitest";

import { defaultModes } from "../control/modes.ts";
import {
  decideCancel,
  decideCapture,
  decideCompletion,
  decidePayment,
  decideRefund,
  type PaymentOrder,
} from "./bank-rules.ts";
import type { Payment, PaymentItem } from "./payment.ts";
import { cardPlan } from "./test-cards.ts";

const now = new Date("2030-06-15T12:00:00Z");
const goodCard = "5528790000000008";
const approve = { kind: "approve" };
const record = {
  conversationId: "refund-1",
  at: "2030-06-15T11:30:00Z",
  authCode: "123456",
  hostReference: "123456789012",
};
const cancel = { ...record, refundId: "25000008", amountMinor: 10_000n };
const refuse = (code: string) => ({ kind: "refuse", code });
const decline = (code: string) => ({ kind: "decline", code });

test.each<[string, Partial<PaymentOrder>, object]>([
  ["is approved", {}, approve],
  ["costs at least something", { priceMinor: 0n, itemPricesMinor: [0n] }, refuse("5005")],
  ["pays at least something", { paidPriceMinor: 0n }, refuse("5005")],
  ["may pay more than its price", { paidPriceMinor: 11_000n }, approve],
  ["costs 100 000 at most", { priceMinor: 10_000_000n, itemPricesMinor: [10_000_000n] }, approve],
  ["costs no more than that", { priceMinor: 10_000_001n, itemPricesMinor: [10_000_001n] }, refuse("5008")],
  ["pays no more than that", { paidPriceMinor: 10_000_001n }, refuse("5008")],
  ["costs the sum of its items", { itemPricesMinor: [6_000n, 3_999n] }, refuse("5062")],
  ["has a card with a right Luhn digit", { pan: "4111111111111112" }, refuse("12")],
  ["is in TRY with a Turkish card", { currency: "EUR" }, refuse("5184")],
  ["is in any currency with a foreign card", { currency: "EUR", pan: "5400010000000004" }, approve],
  ["may have installments", { installment: 3 }, approve],
  ["has none with a debit card", { installment: 3, pan: "5890040000000016" }, refuse("10218")],
  ["has a card that is valid this month", { expiry: "2030-06" }, approve],
  ["has a card that is not expired", { expiry: "2030-05" }, decline("10054")],
  ["is what the issuer makes of it", { pan: "4111111111111129" }, decline("10051")],
])("a payment %s", (_name, changes, decision) => {
  const asked = { ...order, ...changes };
  expect(decidePayment(asked, cardPlan(asked.pan), now, defaultModes)).toEqual(decision);
});

test("a payment that is refused as a fraud is declined, one in review is not", () => {
  const decide = (fraudStatus: -1 | 0) => decidePayment(order, cardPlan(goodCard), now, { fraudStatus });
  expect(decide(-1)).toMatchObject(decline("10034"));
  expect(decide(0)).toEqual(approve);
});

test.each<[string, Partial<Payment>, { amountMinor?: bigint; currency?: string }, object]>([
  ["is of the whole hold", {}, {}, approve],
  ["is of less", {}, { amountMinor: 1n }, approve],
  ["is not of more", {}, { amountMinor: 10_001n }, decline("10231")],
  ["is of something", {}, { amountMinor: 0n }, refuse("5005")],
  ["is of no more than the account allows", {}, { amountMinor: 10_000_001n }, refuse("5008")],
  ["is in the hold's currency", {}, { currency: "EUR" }, refuse("5184")],
  ["comes once", { isCaptured: true }, {}, decline("10203")],
  ["is not of a sale", { operation: "sale" }, {}, decline("10012")],
  ["is not of a declined hold", { state: "declined" }, {}, decline("10012")],
  ["is not of a cancelled hold", { cancel }, {}, decline("10012")],
  ["is not of a card that refuses it", { refusesFollowUps: true }, {}, decline("10012")],
  ["may come on a later day", { isDayOver: true }, {}, approve],
])("a capture %s", (_name, changes, asked, decision) => {
  const request = { amountMinor: 10_000n, currency: "TRY", ...asked };
  expect(decideCapture(payment({ operation: "authorize", ...changes }), request, defaultModes)).toEqual(
    decision,
  );
});

test.each([
  ["equal", 9_999n, decline("10231")],
  ["equal", 10_000n, approve],
  ["higher", 10_001n, approve],
] as const)(
  "where issuers capture what is %s, %s minor units of 10000 are decided so",
  (mode, amountMinor, decision) => {
    const modes = { ...defaultModes, captureAmounts: mode };
    const hold = payment({ operation: "authorize" });
    expect(decideCapture(hold, { amountMinor, currency: "TRY" }, modes)).toEqual(decision);
  },
);

test("a capture is declined where issuers refuse captures", () => {
  const modes = { ...defaultModes, captures: "refused" } as const;
  const hold = payment({ operation: "authorize" });
  expect(decideCapture(hold, { amountMinor: 10_000n, currency: "TRY" }, modes)).toEqual(decline("10005"));
});

test.each<[string, Partial<Payment>, object]>([
  ["is of a sale on its day", {}, approve],
  ["is not of a sale on a later day", { isDayOver: true }, decline("10223")],
  ["is of a captured hold", { operation: "authorize", isCaptured: true }, approve],
  [
    "is not of a captured hold on a later day",
    { operation: "authorize", isCaptured: true, isDayOver: true },
    decline("10223"),
  ],
  ["is of a hold on a later day", { operation: "authorize", isDayOver: true }, approve],
  ["comes once", { cancel }, decline("10203")],
  ["is not of a declined payment", { state: "declined" }, decline("10012")],
  ["is not of a card that refuses it", { refusesFollowUps: true }, decline("10012")],
  ["does not come after a refund", { items: [item({ refunded: 1n })] }, decline("10012")],
])("a cancel %s", (_name, changes, decision) => {
  expect(decideCancel(payment(changes), defaultModes)).toEqual(decision);
});

test.each([
  ["same_day", false, approve],
  ["same_day", true, decline("10223")],
  ["refused", false, decline("10012")],
] as const)("a hold's cancel, where it is %s and the day is over: %s", (holdCancel, isDayOver, decision) => {
  expect(decideCancel(payment({ operation: "authorize", isDayOver }), { holdCancel })).toEqual(decision);
});

test.each<[string, Partial<Payment>, { amountMinor?: bigint; currency?: string }, object]>([
  ["is of something", {}, { amountMinor: 0n }, refuse("5005")],
  ["is in the payment's currency", {}, { currency: "EUR" }, refuse("5184")],
  ["is of no more than was paid", {}, { amountMinor: 10_001n }, decline("5008")],
  [
    "is of no more than is left",
    { items: [item({ refunded: 5_000n }), item({ id: "2", priceMinor: 4_000n })] },
    { amountMinor: 5_001n },
    decline("5008"),
  ],
  ["is not of a hold", { operation: "authorize" }, {}, decline("10012")],
  ["is not of a cancelled payment", { cancel }, {}, decline("10012")],
  ["is not of a declined payment", { state: "declined" }, {}, decline("10012")],
  ["is not of a card that refuses it", { refusesFollowUps: true }, {}, decline("10246")],
  ["comes within 365 days", { createdAt: "2029-06-15T11:59:59Z" }, {}, decline("10246")],
])("a refund %s", (_name, changes, asked, decision) => {
  const request = { amountMinor: 10_000n, currency: "TRY", item: undefined, ...asked };
  expect(decideRefund(payment(changes), request, now, defaultModes)).toEqual(decision);
});

test.each([
  ["on the 365th day", { createdAt: "2029-06-15T12:00:00Z" }],
  ["of a captured hold", { operation: "authorize", isCaptured: true }],
  ["after the day's end", { isDayOver: true }],
] as const)("a refund %s is approved", (_name, changes) => {
  const request = { amountMinor: 10_000n, currency: "TRY", item: undefined };
  expect(decideRefund(payment(changes), request, now, defaultModes)).toMatchObject(approve);
});

test("a refund of an amount takes the items in their order, and no more of each than is left", () => {
  const items = [item({ refunded: 1_000n }), item({ id: "2", priceMinor: 4_000n })];
  const request = { amountMinor: 6_000n, currency: "TRY", item: undefined };
  expect(decideRefund(payment({ items }), request, now, defaultModes)).toEqual({
    kind: "approve",
    parts: [
      { item: items[0], amountMinor: 5_000n },
      { item: items[1], amountMinor: 1_000n },
    ],
  });
});

test("a refund of an item is of no more than this item", () => {
  const paid = payment();
  const request = { currency: "TRY", item: paid.items[1] };
  const decide = (amountMinor: bigint) => decideRefund(paid, { ...request, amountMinor }, now, defaultModes);
  expect(decide(4_001n)).toEqual(decline("5008"));
  expect(decide(4_000n)).toEqual({ kind: "approve", parts: [{ item: paid.items[1], amountMinor: 4_000n }] });
});

test("a refund waits for the day's end where the bank requires it", () => {
  const request = { amountMinor: 1n, currency: "TRY", item: undefined };
  const modes = { sameDayRefunds: "refused" } as const;
  expect(decideRefund(payment(), request, now, modes)).toEqual(decline("10223"));
  expect(decideRefund(payment({ isDayOver: true }), request, now, modes)).toMatchObject(approve);
});

const start = { paidPriceMinor: 10_000n, basketId: "basket-1", currency: "TRY" };

test.each<[string, object, Partial<Payment>, object]>([
  ["repeats its start", {}, {}, approve],
  ["of the first version does not repeat it", { start: undefined }, {}, approve],
  ["is of the start's amount", { start: { ...start, paidPriceMinor: 9_999n } }, {}, refuse("11")],
  ["is of the start's basket", { start: { ...start, basketId: "basket-2" } }, {}, refuse("11")],
  ["is in the start's currency", { start: { ...start, currency: "EUR" } }, {}, refuse("11")],
  ["is of the start's conversation", { conversationId: "pay-2" }, {}, refuse("11")],
  ["comes once", {}, { state: "approved" }, refuse("10203")],
  ["of a decline repeats the decline", {}, { state: "declined", resultCode: "10051" }, refuse("10051")],
  ["needs a payment that was started", {}, { threeDs: undefined }, refuse("5002")],
  ["needs the return", {}, { threeDs: threeDs(null, null) }, refuse("10210")],
  ["needs a return with success", {}, { threeDs: threeDs("failure", "1") }, refuse("10210")],
  ["needs mdStatus 1, not 0", {}, { threeDs: threeDs("success", "0") }, refuse("10210")],
  ["needs mdStatus 1, not 4", {}, { threeDs: threeDs("success", "4") }, refuse("10210")],
  [
    "is what the issuer makes of it",
    {},
    { threeDs: threeDs("success", "1", "4129111111111111") },
    decline("10005"),
  ],
])("a completion %s", (_name, asked, changes, decision) => {
  const started = payment({ state: "returned", threeDs: threeDs("success", "1"), ...changes });
  const completion = { conversationId: "pay-1", start, ...asked };
  expect(decideCompletion(started, completion, defaultModes)).toEqual(decision);
});

test("a completion that is refused as a fraud is declined", () => {
  const started = payment({ state: "returned", threeDs: threeDs("success", "1") });
  const decision = decideCompletion(started, { conversationId: "pay-1", start }, { fraudStatus: -1 });
  expect(decision).toMatchObject(decline("10034"));
});

const order: PaymentOrder = {
  priceMinor: 10_000n,
  paidPriceMinor: 10_000n,
  currency: "TRY",
  installment: 1,
  itemPricesMinor: [6_000n, 4_000n],
  pan: goodCard,
  expiry: "2031-01",
};

function payment(changes: Partial<Payment> = {}): Payment {
  return {
    paymentId: "25000001",
    merchantId: "1000001",
    conversationId: "pay-1",
    basketId: "basket-1",
    operation: "sale",
    currency: "TRY",
    priceMinor: 10_000n,
    paidPriceMinor: 10_000n,
    installment: 1,
    pan: "552879******0008",
    items: [item(), item({ id: "2", priceMinor: 4_000n })],
    buyerId: "buyer-1",
    ip: "203.0.113.7",
    createdAt: "2030-06-15T11:00:00Z",
    threeDs: undefined,
    state: "approved",
    resultCode: null,
    authCode: "123456",
    hostReference: "123456789012",
    fraudStatus: 1,
    isCaptured: false,
    cancel: undefined,
    isDayOver: false,
    daySequence: 1,
    refusesFollowUps: false,
    ...changes,
  };
}

function item({ id = "1", priceMinor = 6_000n, refunded = 0n } = {}): PaymentItem {
  const refund = { ...record, refundTxId: "25000009", amountMinor: refunded, isAfterSettlement: false };
  return {
    itemId: `item-${id}`,
    paymentTransactionId: `2500000${id}0`,
    priceMinor,
    paidPriceMinor: priceMinor,
    refunds: refunded > 0n ? [refund] : [],
  };
}

function threeDs(returnStatus: "success" | "failure" | null, mdStatus: string | null, pan = goodCard) {
  const plan = cardPlan(pan);
  if (!plan) throw new Error("no test card");
  return { token: "t", callbackUrl: "https://shop.test", conversationData: "", plan, returnStatus, mdStatus };
}
