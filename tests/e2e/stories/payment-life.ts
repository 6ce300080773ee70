import { eventually } from "../../support/index.ts";
import { expect } from "vitest";
import { preAuthorization, type Client, type RunningSandbox } from "../running-sandbox.ts";
import { runHoldfast } from "../run-program.ts";

const UNKNOWN_ID = "00000000-0000-7000-8000-000000000000";

/** Operators decide here about payments that the bank has not seen: recovery must leave them. */
export async function expectLivesOfPayments(sandbox: RunningSandbox): Promise<void> {
  const merchant = sandbox.merchant();
  await saleIsTakenAndVoided(merchant);
  await authorizationIsCapturedInPart(merchant);
  await sameKeyIsOnePayment(sandbox, merchant);
  await lostAnswerSettlesItself(sandbox, merchant);
  await operatorsSettleWhatIsLeft(sandbox, merchant);
  expect(await merchant("GET", "/api/nothing")).toMatchObject({ status: 404 });
}

async function saleIsTakenAndVoided(merchant: Client): Promise<void> {
  const sold = await merchant("POST", "/api/payment", { ...preAuthorization(), installmentCount: 3 });
  expect(sold).toMatchObject({ status: 201, body: { status: "SUCCESS", installmentCount: 3 } });
  expect(sold.body).not.toHaveProperty("transactionType");
  const tooMany = { ...preAuthorization({ pan: "5555555555554444" }), installmentCount: 7 };
  expect(await merchant("POST", "/api/payment", tooMany)).toMatchObject({
    status: 422,
    body: { code: "installments_not_allowed", allowed: [1, 2, 3, 4, 5, 6] },
  });
  expect(
    await merchant("POST", "/api/payment", { ...preAuthorization(), installmentCount: 13 }),
  ).toMatchObject({
    status: 400,
    body: { code: "validation_failed", errors: [{ field: "installmentCount", code: "out_of_range" }] },
  });
  const path = `/api/payment/${sold.body.paymentId}`;
  expect(await merchant("POST", `${path}/capture`)).toMatchObject({
    status: 409,
    body: { code: "invalid_payment_state", currentStatus: "SUCCESS" },
  });
  expect(await merchant("POST", `${path}/cancel`)).toMatchObject({
    status: 200,
    body: { status: "CANCELLED" },
  });
  expect(await merchant("GET", path)).toMatchObject({ status: 200, body: { status: "CANCELLED" } });
}

async function authorizationIsCapturedInPart(merchant: Client): Promise<void> {
  const { body } = await merchant("POST", "/api/pre-authorization", preAuthorization({ amount: 100 }));
  const path = `/api/payment/${body.paymentId}`;
  const capture = (amount: unknown, more = {}) => merchant("POST", `${path}/capture`, { amount, ...more });
  expect(await capture(100.01)).toMatchObject({
    status: 422,
    body: { code: "capture_amount_exceeds_authorized", capturableAmount: 100 },
  });
  expect(await capture(10, { currency: "EUR" })).toMatchObject({
    status: 422,
    body: { code: "currency_mismatch" },
  });
  expect(await capture("10")).toMatchObject({ status: 400, body: { code: "validation_failed" } });
  expect(await capture(10.001)).toMatchObject({ status: 400, body: { code: "validation_failed" } });
  expect(await capture(10.91)).toMatchObject({
    status: 422,
    body: { code: "acquirer_declined", resultCode: expect.any(String), resultMessage: expect.any(String) },
  });
  expect(await capture(60)).toMatchObject({
    status: 200,
    body: { status: "CAPTURED", amount: 100, capturedAmount: 60 },
  });
  expect(await merchant("POST", `${path}/cancel`, { reason: "late" })).toMatchObject({ status: 409 });
  for (const id of [UNKNOWN_ID, "x"]) {
    expect(await merchant("POST", `/api/payment/${id}/capture`)).toMatchObject({
      status: 404,
      body: { code: "payment_not_found" },
    });
  }
}

async function sameKeyIsOnePayment(sandbox: RunningSandbox, merchant: Client): Promise<void> {
  const order = preAuthorization();
  const pay = (change = {}, key = "order-77") =>
    merchant("POST", "/api/pre-authorization", { ...order, ...change }, { "Idempotency-Key": key });
  const first = await pay();
  expect(first.headers.get("Idempotent-Replayed")).toBeNull();
  const again = await pay({ cvv: "999" });
  expect(again).toMatchObject({ status: 201, text: first.text });
  expect(again.headers.get("Idempotent-Replayed")).toBe("true");
  expect(again.headers.get("Location")).toBe(first.headers.get("Location"));
  expect((await pay({}, '"order-77"')).text).toBe(first.text);
  expect(await pay({ amount: 13 })).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } });
  expect(await pay({}, "x".repeat(256))).toMatchObject({
    status: 400,
    body: { errors: [{ field: "Idempotency-Key" }] },
  });
  // The same key on another path, or of another merchant, is another key.
  const sale = await merchant("POST", "/api/payment", preAuthorization(), { "Idempotency-Key": "order-77" });
  expect(sale.status).toBe(201);
  expect(sale.body.paymentId).not.toBe(first.body.paymentId);
  const { body: other } = await sandbox.operator()("POST", "/operator/merchants", { name: "Other" });
  const others = await sandbox.merchant(other)("POST", "/api/pre-authorization", preAuthorization(), {
    "Idempotency-Key": "order-77",
  });
  expect(others.body.paymentId).not.toBe(first.body.paymentId);
}

async function lostAnswerSettlesItself(sandbox: RunningSandbox, merchant: Client): Promise<void> {
  const lost = await merchant(
    "POST",
    "/api/pre-authorization",
    preAuthorization({ pan: "4000000000000119" }),
  );
  expect(lost).toMatchObject({ status: 202, body: { status: "ENROLLED" } });
  expect(Number(lost.headers.get("Retry-After"))).toBeGreaterThan(0);
  const path = lost.headers.get("Location")!;
  await eventually(async () => (await merchant("GET", path)).body.status === "SUCCESS");
  const ledger = await (await fetch(`${sandbox.file.acquirerUrl}/ledger`)).text();
  const lines = ledger.split("\n").filter((line) => line.includes(lost.body.paymentId));
  expect(lines).toHaveLength(1);
}

async function operatorsSettleWhatIsLeft(sandbox: RunningSandbox, merchant: Client): Promise<void> {
  const [alice, bora, vera] = [0, 1, 2].map((index) => sandbox.operator(index)) as [Client, Client, Client];
  const pay = () => merchant("POST", "/api/pre-authorization", preAuthorization({ pan: "4000000000000127" }));
  const { paymentId } = (await pay()).body;
  const path = `/operator/payments/${paymentId}`;
  const open = await vera("GET", "/operator/payments?unresolved=true");
  expect(open).toMatchObject({
    status: 200,
    body: {
      items: expect.arrayContaining([
        expect.objectContaining({ payment: expect.objectContaining({ paymentId }), state: "AUTHORIZING" }),
      ]),
    },
  });
  expect(await vera("POST", `${path}/reverse`)).toMatchObject({ status: 403, body: { code: "forbidden" } });
  await eventually(async () => (await alice("POST", `${path}/inquire`)).status === 200);
  expect(await alice("POST", `${path}/resolve`, { outcome: "MAYBE", evidence: "" })).toMatchObject({
    status: 400,
  });
  const failed = { outcome: "FAILED", evidence: "the bank's help desk, call 17" };
  expect((await alice("POST", `${path}/resolve`, failed)).body.code).toMatch(
    /^(too_young|operation_in_progress)$/,
  );
  await eventually(async () => (await alice("POST", `${path}/resolve`, failed)).status === 200);
  await eventually(async () => (await alice("POST", `${path}/resolve`, failed)).body.code === "same_person");
  await eventually(async () => (await bora("POST", `${path}/resolve`, failed)).status === 200);
  expect(await vera("GET", path)).toMatchObject({
    status: 200,
    body: {
      merchantName: expect.any(String),
      unresolved: false,
      payment: { status: "FAILED", resultCode: "reversed" },
      bankOrderId: (paymentId as string).replaceAll("-", ""),
      requestIp: expect.any(String),
      operations: [],
      refunds: [],
      actions: expect.arrayContaining([expect.objectContaining({ actor: "bora", subject: paymentId })]),
      more: [],
    },
  });
  expect(await merchant("GET", `/api/payment/${paymentId}`)).toMatchObject({ body: { status: "FAILED" } });
  expect(await alice("POST", `${path}/reverse`)).toMatchObject({
    status: 409,
    body: { code: "invalid_payment_state", currentStatus: "FAILED" },
  });
  expect(await vera("GET", `/operator/payments/${UNKNOWN_ID}`)).toMatchObject({ status: 404 });
  await auditSaysWho(sandbox, vera, paymentId as string);
}

async function auditSaysWho(sandbox: RunningSandbox, vera: Client, paymentId: string): Promise<void> {
  const seen: { service: string; actor: string; action: string; subject: string }[] = [];
  let query = "?limit=2";
  for (;;) {
    const { status, body } = await vera("GET", `/operator/audit-log${query}`);
    expect(status).toBe(200);
    seen.push(...body.items);
    if (!body.nextCursor) break;
    query = `?limit=2&cursor=${body.nextCursor}`;
  }
  const ofPayment = seen
    .filter(({ subject }) => subject === paymentId)
    .map(({ actor, action }) => `${actor} ${action}`);
  expect(ofPayment.slice(0, 4)).toEqual([
    "bora payment.resolved",
    "bora payment.reversal_decided",
    "alice payment.resolution_refused",
    "alice payment.resolution_proposed",
  ]);
  const merchants = seen.filter(({ service }) => service === "api-gateway").map(({ action }) => action);
  expect(merchants).toEqual(expect.arrayContaining(["access.refused", "merchant.created"]));
  const verified = await runHoldfast("verify-audit", "--home", sandbox.home);
  expect(verified.stdout).toMatch(/5 intact, 0 broken/);
  expect(verified.status).toBe(0);
}
