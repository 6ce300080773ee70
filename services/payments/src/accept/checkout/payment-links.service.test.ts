import { randomUUID } from "node:crypto";
import { beginPaymentLink, operations, viewPaymentLink, type MakePaymentLink } from "@holdfast/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkouts, type CheckoutSteps } from "../../../test/checkout-harness.ts";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";

let payments: PaymentsHarness;
let steps: CheckoutSteps;
beforeAll(async () => {
  payments = await startPaymentsHarness({ RECOVERY_SCHEDULE: "1h", PAYMENT_LINK_ATTEMPTS_MAX: "3" });
  steps = checkouts(payments);
});
afterAll(() => payments.close());

const DECLINED = { pan: "4000000000009995" };

let orders = 0;
const link = (change: Partial<MakePaymentLink> = {}): MakePaymentLink => ({
  paymentLinkId: randomUUID(),
  orderId: `lesson-${++orders}`,
  description: "Piano lesson",
  amountMinor: "1250",
  currency: "TRY",
  threeDs: false,
  use: "SINGLE",
  expiresInSeconds: 3_600,
  ...change,
});

async function make(change: Partial<MakePaymentLink> = {}): Promise<string> {
  const request = link(change);
  expect(await payments.call(operations.createPaymentLink.command, request)).toMatchObject({
    result: { status: "ACTIVE" },
  });
  return request.paymentLinkId;
}

async function begin(paymentLinkId: string): Promise<string> {
  const checkoutId = randomUUID();
  expect(await payments.askAsGateway(beginPaymentLink, { paymentLinkId, checkoutId })).toMatchObject({
    result: { status: "ACTIVE" },
  });
  return checkoutId;
}

const statusOf = async (paymentLinkId: string) => {
  const reply = await payments.askAsGateway(viewPaymentLink, { paymentLinkId });
  return "result" in reply ? reply.result.status : reply.outcome;
};
const made = async (checkoutIds: string[]) =>
  (await Promise.all(checkoutIds.map((id) => steps.paymentsOf(id)))).flat();
const disable = (paymentLinkId: string, options: Parameters<PaymentsHarness["call"]>[2] = {}) =>
  payments.call(operations.disablePaymentLink.command, { paymentLinkId, requestId: randomUUID() }, options);

test("a link shows what it was made of, to its merchant only", async () => {
  const request = link({ returnUrl: "https://shop.example/thanks", installmentOptions: [6, 3] });
  const created = await payments.call(operations.createPaymentLink.command, request);
  const { paymentLinkId, orderId } = request;
  expect(created).toMatchObject({
    outcome: "done",
    result: {
      paymentLinkId,
      status: "ACTIVE",
      orderId,
      description: "Piano lesson",
      amount: 12.5,
      installmentOptions: [1, 3, 6],
      use: "SINGLE",
      returnUrl: "https://shop.example/thanks",
    },
  });
  expect(await payments.call(operations.getPaymentLink.command, { paymentLinkId })).toEqual(created);
  const merchant = { merchantId: randomUUID() };
  expect(
    await payments.call(operations.getPaymentLink.command, { paymentLinkId }, { merchant }),
  ).toMatchObject({
    code: "payment_link_not_found",
  });
  expect(await disable(paymentLinkId, { merchant })).toMatchObject({ code: "payment_link_not_found" });
  expect(await statusOf(paymentLinkId)).toBe("ACTIVE");
});

test("a repetition under one Idempotency-Key is the same link, another under it is refused", async () => {
  const idempotency = { key: randomUUID(), scope: "POST /api/payment-links" };
  const request = link();
  const first = await payments.call(operations.createPaymentLink.command, request, { idempotency });
  const again = { ...request, paymentLinkId: randomUUID() };
  expect(await payments.call(operations.createPaymentLink.command, again, { idempotency })).toEqual({
    ...first,
    replayed: true,
  });
  const other = { ...again, amountMinor: "1251" };
  expect(await payments.call(operations.createPaymentLink.command, other, { idempotency })).toMatchObject({
    code: "idempotency_key_reused",
  });
});

test("a buyer who begins gets a checkout of the link's order", async () => {
  const paymentLinkId = await make();
  const checkoutId = await begin(paymentLinkId);
  expect(await payments.call(operations.getCheckout.command, { checkoutId })).toMatchObject({
    result: { paymentLinkId, status: "OPEN", amount: 12.5, threeDs: false },
  });
  const page = await steps.view(checkoutId);
  expect(page).toMatchObject({ description: "Piano lesson" });
  expect(page).not.toHaveProperty("failureUrl");
});

test("two buyers pay a link for one payment at the same moment: one pays, and the others are told", async () => {
  for (let round = 0; round < 4; round++) {
    const paymentLinkId = await make();
    const buyers = await Promise.all(Array.from({ length: 6 }, () => begin(paymentLinkId)));
    await Promise.all(buyers.map((checkoutId) => steps.pay(checkoutId)));
    const paid = await made(buyers);
    expect(paid).toMatchObject([{ state: "SUCCESS" }]);
    expect(await statusOf(paymentLinkId)).toBe("USED");
    const pages = await Promise.all(buyers.map((checkoutId) => steps.view(checkoutId)));
    expect(pages.filter(({ status }) => status === "COMPLETED")).toHaveLength(1);
    expect(pages.filter(({ linkIs }) => linkIs === "USED")).toHaveLength(5);
  }
});

test("while a payment's outcome is unknown nobody else pays, and the page says that somebody is paying", async () => {
  const paymentLinkId = await make();
  const [first, second] = [await begin(paymentLinkId), await begin(paymentLinkId)];
  await payments.acquirerWill("sale", "hang");
  await steps.pay(first);
  expect(await statusOf(paymentLinkId)).toBe("TAKEN");
  expect(await steps.pay(second)).toMatchObject({ outcome: "done", result: { linkIs: "TAKEN" } });
  expect(await steps.paymentsOf(second)).toEqual([]);
});

test("a declined card leaves the link to another buyer, and to its own", async () => {
  const paymentLinkId = await make();
  const [first, second] = [await begin(paymentLinkId), await begin(paymentLinkId)];
  await steps.pay(first, DECLINED);
  await steps.pay(second, DECLINED);
  expect(await steps.pay(first)).toMatchObject({ result: { status: "COMPLETED" } });
  expect(await steps.pay(second)).toMatchObject({ result: { linkIs: "USED" } });
  expect((await made([first, second])).map(({ state }) => state).toSorted()).toEqual([
    "FAILED",
    "FAILED",
    "SUCCESS",
  ]);
});

test("a link for many is paid by all of them, each under an order of its own", async () => {
  const paymentLinkId = await make({ use: "MULTIPLE", orderId: "o".repeat(50) });
  const buyers = await Promise.all(Array.from({ length: 4 }, () => begin(paymentLinkId)));
  await Promise.all(buyers.map((checkoutId) => steps.pay(checkoutId)));
  expect((await made(buyers)).map(({ state }) => state)).toEqual(Array(4).fill("SUCCESS"));
  const pages = await Promise.all(buyers.map((checkoutId) => steps.view(checkoutId)));
  expect(new Set(pages.map(({ orderId }) => orderId)).size).toBe(4);
  expect(await statusOf(paymentLinkId)).toBe("ACTIVE");
});

test.each(["SINGLE", "MULTIPLE"] as const)("a disabled link for %s ends what was begun, too", async (use) => {
  const paymentLinkId = await make({ use });
  const checkoutId = await begin(paymentLinkId);
  const ended = await disable(paymentLinkId);
  expect(ended).toMatchObject({ result: { status: "DISABLED", disabledAt: expect.any(String) } });
  expect(await disable(paymentLinkId)).toEqual(ended);
  expect(await steps.pay(checkoutId)).toMatchObject({ result: { linkIs: "DISABLED" } });
  expect(await steps.paymentsOf(checkoutId)).toEqual([]);
  const late = randomUUID();
  await payments.askAsGateway(beginPaymentLink, { paymentLinkId, checkoutId: late });
  expect(await payments.call(operations.getCheckout.command, { checkoutId: late })).toMatchObject({
    code: "checkout_not_found",
  });
});

test("an expired link begins nothing, and what was begun in time can be paid", async () => {
  const paymentLinkId = await make();
  const checkoutId = await begin(paymentLinkId);
  await payments.query("update payments.payment_link set expires_at = now() where payment_link_id = $1", [
    paymentLinkId,
  ]);
  expect(await statusOf(paymentLinkId)).toBe("EXPIRED");
  expect(await steps.pay(checkoutId)).toMatchObject({ result: { status: "COMPLETED" } });
});

test("a link takes no further card once too many were declined in an hour, however many were charged", async () => {
  const paymentLinkId = await make({ use: "MULTIPLE" });
  for (let charged = 0; charged < 4; charged++)
    expect(await steps.pay(await begin(paymentLinkId))).toMatchObject({ result: { status: "COMPLETED" } });
  const [first, second] = [await begin(paymentLinkId), await begin(paymentLinkId)];
  await steps.pay(first, DECLINED);
  await steps.pay(first, DECLINED);
  await steps.pay(second, DECLINED);
  const tooOften = { outcome: "problem", code: "rate_limited" };
  expect(await steps.pay(second)).toEqual(tooOften);
  const later = await begin(paymentLinkId);
  expect(await steps.pay(later)).toEqual(tooOften);
  expect(await steps.paymentsOf(later)).toEqual([]);
  expect(await steps.pay(await begin(await make({ use: "MULTIPLE" })))).toMatchObject({ outcome: "done" });
  await payments.query(
    "update payments.checkout set expires_at = now() - interval '1 hour' where checkout_id in ($1, $2)",
    [first, second],
  );
  expect(await steps.pay(later)).toMatchObject({ result: { status: "COMPLETED" } });
});

test("a burst of cards that are declined tries no more of them than a link takes", async () => {
  const paymentLinkId = await make({ use: "MULTIPLE" });
  const checkouts: string[] = [];
  for (let begun = 0; begun < 16; begun++) checkouts.push(await begin(paymentLinkId));
  await Promise.all(checkouts.map((checkoutId) => steps.pay(checkoutId, DECLINED)));
  const paid = await Promise.all(checkouts.map((checkoutId) => steps.paymentsOf(checkoutId)));
  // Three that may be declined, and three that may be under way beside them.
  expect(paid.flat().length).toBeLessThanOrEqual(6);
});

test("links are listed, newest first", async () => {
  const merchant = { merchantId: randomUUID() };
  const requests = [link(), link(), link()];
  for (const request of requests)
    await payments.call(operations.createPaymentLink.command, request, { merchant });
  const first = await payments.call(operations.listPaymentLinks.command, { limit: 2 }, { merchant });
  if (!("result" in first)) throw new Error(first.outcome);
  const { items, readTo } = first.result;
  const second = await payments.call(
    operations.listPaymentLinks.command,
    { limit: 2, after: readTo },
    { merchant },
  );
  const ids = [...items, ...("result" in second ? second.result.items : [])].map(({ id }) => id);
  expect(ids).toEqual(requests.map(({ paymentLinkId }) => paymentLinkId).toReversed());
});
