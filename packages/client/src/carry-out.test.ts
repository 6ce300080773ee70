import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  problem,
  scriptedGateway,
  socketError,
  withoutWaiting,
  type Step,
} from "../test/scripted-gateway.ts";
import type { PaymentRequest } from "./index.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout"] }));
afterEach(() => void vi.useRealTimers());

const request: PaymentRequest = {
  orderId: "order-1",
  amount: "12.50",
  currency: "TRY",
  cardHolderName: "Ada Lovelace",
  pan: "4111111111111111",
  expiryMonth: "12",
  expiryYear: "35",
  cvv: "123",
  requestIp: "203.0.113.7",
  requestPort: 443,
};
const paymentId = "019f0000-0000-7000-8000-000000000001";
const otherId = "019f0000-0000-7000-8000-000000000002";
const record = (status: string) => ({ paymentId, status, amount: 12.5 });
const created = (status = "SUCCESS"): Step => ({ status: 201, body: record(status) });
const reset = socketError("ECONNRESET");
const refused = socketError("ECONNREFUSED");
const busy = { ...problem(503, "service_unavailable"), headers: { "Retry-After": "1" } };
const running = { ...problem(409, "idempotency_key_in_use"), headers: { "Retry-After": "1" } };
const unauthorized = problem(401, "unauthorized");
const timedOut = (id = paymentId) => ({
  ...problem(504, "outcome_unknown", { paymentId: id }),
  headers: { "Retry-After": "10" },
});
const absent = problem(404, "payment_not_found");
const proxyPage = (status: number): Step => ({ status, body: "<html>nginx</html>" });

async function pay(steps: Step[], retries?: number) {
  const gateway = scriptedGateway(steps, retries === undefined ? {} : { retries });
  const ended = await withoutWaiting(gateway.holdfast.payments.create(request));
  expect(gateway.left).toEqual([]);
  return { ended, asked: gateway.asked };
}

test.each<[string, Step[], object]>([
  ["an approval is done", [created()], { outcome: "done", replayed: false, attempts: 1 }],
  ["a decline of the bank is declined", [created("FAILED")], { outcome: "declined" }],
  ["a refusal by merchant rules is declined", [created("REJECTED")], { outcome: "declined" }],
  [
    "a bank that has not answered is unknown, with the payment to wait for",
    [{ status: 202, body: record("ENROLLED") }],
    { outcome: "unknown", paymentId, payment: { status: "ENROLLED" } },
  ],
  [
    "a status of a later gateway stays what it is, and is unknown",
    [created("PARTLY_PAID")],
    { outcome: "unknown", payment: { status: "PARTLY_PAID" } },
  ],
  [
    "an invalid field was not started",
    [
      problem(400, "validation_failed", {
        errors: [{ field: "cvv", code: "required", message: "is required" }],
      }),
    ],
    {
      outcome: "not_started",
      error: { code: "validation_failed", retryable: false, errors: [{ field: "cvv" }], status: 400 },
    },
  ],
  [
    "a code of a later gateway stays what it is",
    [problem(422, "card_on_holiday")],
    { outcome: "not_started", error: { code: "card_on_holiday", retryable: false } },
  ],
  ["wrong credentials were not started", [unauthorized], { outcome: "not_started", attempts: 1 }],
  [
    "what never left this machine was not started",
    [refused, refused, refused],
    { outcome: "not_started", attempts: 3, error: { code: "connection_failed", retryable: true } },
  ],
  ["a gateway that starts nothing is asked again", [busy, busy, created()], { outcome: "done", attempts: 3 }],
  ["and was not started when the retries end", [busy, busy, busy], { outcome: "not_started" }],
  [
    "a limit is waited for",
    [{ ...problem(429, "rate_limited"), headers: { "Retry-After": "1" } }, created()],
    { outcome: "done" },
  ],
  ["a lost connection is repeated", [reset, created()], { outcome: "done", attempts: 2 }],
  [
    "and unknown when the retries end",
    [reset, reset, reset],
    { outcome: "unknown", error: { code: "no_answer" } },
  ],
  ["a first request that still runs is waited for", [reset, running, created()], { outcome: "done" }],
  ["and unknown when the retries end", [reset, running, running], { outcome: "unknown" }],
  ["an error of the gateway is repeated", [problem(500, "internal_error"), created()], { outcome: "done" }],
  ["a proxy's page is repeated", [proxyPage(502), proxyPage(200), created()], { outcome: "done" }],
])("%s", async (_name, steps, expected) => {
  expect((await pay(steps)).ended).toMatchObject(expected);
});

test.each<[string, Step]>([
  ["a 503 of the gateway", busy],
  ["a refused connection", refused],
  ["withdrawn credentials", unauthorized],
  ["a card that has expired meanwhile", problem(400, "validation_failed")],
])("after a lost connection %s does not say that nothing was started", async (_name, last) => {
  expect((await pay([reset, last], 1)).ended).toMatchObject({
    outcome: "unknown",
    error: { code: "no_answer" },
  });
});

test.each<[string, Step, string]>([
  ["a 503 of the gateway", busy, "unknown"],
  ["a refused connection", refused, "unknown"],
  ["wrong credentials", unauthorized, "unknown"],
  ["a refusal that the gateway keeps under the key", problem(422, "installments_not_allowed"), "not_started"],
])(
  "a call with the caller's own key may repeat one that was carried out: after %s",
  async (_name, last, outcome) => {
    const own = { idempotencyKey: "order-1/2" };
    const again = scriptedGateway([last], { retries: 0 });
    expect(await withoutWaiting(again.holdfast.payments.create(request, own))).toMatchObject({ outcome });
    const first = scriptedGateway([last], { retries: 0 });
    const neverSent = first.holdfast.payments.create(request, { ...own, neverSent: true });
    expect(await withoutWaiting(neverSent)).toMatchObject({ outcome: "not_started" });
  },
);

test("with such a key a 504 names no payment that could be looked up", async () => {
  const { holdfast, asked } = scriptedGateway([timedOut(), absent], { retries: 0 });
  const ended = await withoutWaiting(holdfast.payments.create(request, { idempotencyKey: "order-1/2" }));
  expect(ended.outcome).toBe("unknown");
  expect(ended).not.toHaveProperty("paymentId");
  expect(asked).toHaveLength(1);
});

test("a refusal that the gateway keeps under the key speaks for every sending of it", async () => {
  const { ended } = await pay([reset, problem(422, "installments_not_allowed")]);
  expect(ended).toMatchObject({ outcome: "not_started", error: { code: "installments_not_allowed" } });
});

test.each([404, 429, 503])("a %d of a proxy says nothing about the gateway behind it", async (status) => {
  const { ended } = await pay([proxyPage(status)], 0);
  expect(ended).toMatchObject({ outcome: "unknown", error: { code: "unexpected_answer", status } });
});

test("every sending of a call has the same key, and each call its own", async () => {
  const first = await pay([reset, busy, created()]);
  const second = await pay([created()]);
  const keys = [...first.asked, ...second.asked].map(({ headers }) => headers["Idempotency-Key"]);
  expect(keys).toEqual([
    ...Array.from({ length: 3 }, () => first.ended.idempotencyKey),
    second.ended.idempotencyKey,
  ]);
  expect(new Set(keys).size).toBe(2);
});

test("a caller's own key is the one that is sent", async () => {
  const { holdfast, asked } = scriptedGateway([created()]);
  const ended = await withoutWaiting(holdfast.payments.create(request, { idempotencyKey: "order-1/2" }));
  expect([ended.idempotencyKey, asked[0]?.headers["Idempotency-Key"]]).toEqual(["order-1/2", "order-1/2"]);
});

test("after a 504 the payment is looked up: found, it is the answer", async () => {
  const { ended, asked } = await pay([timedOut(), { status: 200, body: record("SUCCESS") }]);
  expect(ended).toMatchObject({ outcome: "done", payment: { paymentId }, attempts: 1 });
  expect(asked.map(({ method }) => method)).toEqual(["POST", "GET"]);
});

test("found while the bank is asked, it is unknown and can be waited for", async () => {
  const { ended } = await pay([timedOut(), { status: 200, body: record("ENROLLED") }]);
  expect(ended).toMatchObject({ outcome: "unknown", paymentId });
});

test("conclusively absent, it is sent again under the same key", async () => {
  const { ended, asked } = await pay([timedOut(), absent, created()]);
  expect(ended).toMatchObject({ outcome: "done", attempts: 2 });
  expect(asked[2]?.headers["Idempotency-Key"]).toBe(asked[0]?.headers["Idempotency-Key"]);
});

test("and was not started when the retries end", async () => {
  const { ended } = await pay([timedOut(), absent], 0);
  expect(ended).toMatchObject({
    outcome: "not_started",
    error: { code: "conclusively_absent", retryable: true },
  });
});

test("a 404 of a proxy is not conclusive: the outcome stays unknown, and its payment is named", async () => {
  const { ended } = await pay([timedOut(), proxyPage(404)], 0);
  expect(ended).toMatchObject({ outcome: "unknown", paymentId, error: { code: "outcome_unknown" } });
});

test("the look-up waits as long as the answer asked for", async () => {
  const { holdfast, asked } = scriptedGateway([timedOut(), { status: 200, body: record("SUCCESS") }]);
  const call = holdfast.payments.create(request);
  await vi.advanceTimersByTimeAsync(9_999);
  expect(asked).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect((await call).outcome).toBe("done");
});

test("after a lost sending the 504 of another names an id that may not be the payment's: it is not looked up", async () => {
  const { ended, asked } = await pay([reset, timedOut(otherId), timedOut(otherId)]);
  expect(ended.outcome).toBe("unknown");
  expect(ended).not.toHaveProperty("paymentId");
  expect(asked.map(({ method }) => method)).toEqual(["POST", "POST", "POST"]);
});

test("a capture is repeated after a 504, since the payment's own status does not say which call captured it", async () => {
  const { holdfast, asked } = scriptedGateway([timedOut(), { status: 200, body: record("CAPTURED") }]);
  const ended = await withoutWaiting(holdfast.payments.capture(paymentId, { amount: 10 }));
  expect(ended).toMatchObject({ outcome: "done", payment: { status: "CAPTURED" } });
  expect(asked.map(({ method, body }) => [method, body])).toEqual([
    ["POST", '{"amount":10}'],
    ["POST", '{"amount":10}'],
  ]);
});

test("a capture that the bank declined is declined, and one that it has not answered is unknown", async () => {
  const declined = scriptedGateway([problem(422, "acquirer_declined", { resultCode: "05" })]);
  expect(await withoutWaiting(declined.holdfast.payments.capture(paymentId))).toMatchObject({
    outcome: "declined",
    error: { code: "acquirer_declined", problem: { resultCode: "05" } },
  });
  // The payment as it was before: its status is not the capture's outcome.
  const pending = scriptedGateway([{ status: 202, body: record("SUCCESS") }]);
  expect(await withoutWaiting(pending.holdfast.payments.cancel(paymentId))).toMatchObject({
    outcome: "unknown",
    paymentId,
  });
});

test("a refund request is done when it waits for approval", async () => {
  const { holdfast } = scriptedGateway([{ status: 202, body: record("PENDING_APPROVAL") }]);
  const refund = { amount: 1, currency: "TRY" };
  expect(await withoutWaiting(holdfast.refunds.request(paymentId, refund))).toMatchObject({
    outcome: "done",
    refund: { status: "PENDING_APPROVAL" },
  });
});

test("a challenge is an outcome of its own", async () => {
  const challenge = { redirectUrl: "https://pay.example/3ds/1", expiresAt: "2026-01-01T00:00:00Z" };
  const { holdfast } = scriptedGateway([{ status: 201, body: { ...record("ENROLLED"), ...challenge } }]);
  const urls = { successUrl: "https://shop.example/a", failureUrl: "https://shop.example/b" };
  expect(await withoutWaiting(holdfast.payments.createWith3ds({ ...request, ...urls }))).toMatchObject({
    outcome: "challenge",
    challenge,
  });
});

test("a read is repeated and then throws what it got", async () => {
  const twice = scriptedGateway([reset, busy, { status: 200, body: record("SUCCESS") }]);
  expect(await withoutWaiting(twice.holdfast.payments.get(paymentId))).toMatchObject({ status: "SUCCESS" });
  const missing = scriptedGateway([absent]);
  await expect(withoutWaiting(missing.holdfast.payments.get(paymentId))).rejects.toMatchObject({
    name: "HoldfastError",
    code: "payment_not_found",
    requestId: "019f0000-0000-7000-8000-00000000000a",
  });
});

test("waiting ends with the outcome, and over reads that fail", async () => {
  const read = (status: string, more: object = {}): Step => ({
    status: 200,
    body: { ...record(status), ...more },
  });
  const pending = read("SUCCESS", { lastOperation: { status: "PENDING" } });
  const { holdfast, left } = scriptedGateway([read("ENROLLED"), reset, pending, read("CAPTURED")]);
  const waited = await withoutWaiting(holdfast.payments.waitForOutcome(paymentId));
  expect(waited).toMatchObject({ settled: true, payment: { status: "CAPTURED" } });
  expect(left).toEqual([]);
  const never = scriptedGateway([read("ENROLLED")]);
  const gaveUp = await withoutWaiting(never.holdfast.payments.waitForOutcome(paymentId, { deadlineMs: 0 }));
  expect(gaveUp).toMatchObject({ settled: false, payment: { status: "ENROLLED" } });
});

test("an answer without an end is cut off and counts as unknown", async () => {
  let sent = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      sent += 65_536;
      controller.enqueue(new Uint8Array(65_536).fill(0x20));
    },
  });
  const { holdfast } = scriptedGateway([], {
    retries: 0,
    fetch: () => Promise.resolve(new Response(endless, { status: 201 })),
  });
  expect(await holdfast.payments.create(request)).toMatchObject({ outcome: "unknown" });
  expect(sent).toBeLessThan(2_000_000);
});
