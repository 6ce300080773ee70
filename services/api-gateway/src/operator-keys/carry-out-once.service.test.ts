import {
  ENDPOINTS,
  operations,
  problemType,
  shownOnceIn,
  takesIdempotencyKey,
  type CommandReply,
  type OperatorPaymentDetail,
  type OperatorRefundDetail,
  type ProblemCode,
} from "@holdfast/contracts";
import { purgeIdempotencyKeys } from "@holdfast/idempotency";
import { handler } from "@holdfast/messaging";
import { createDatabase, createPool } from "@holdfast/postgres";
import { withClient } from "@holdfast/sandbox/infrastructure";
import { captureLog, serveCommands, TEST_ACCOUNT_ID } from "@holdfast/tests/support";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { expectProblem } from "../../test/problems.ts";
import { merchantOf, startTestGateway, type TestGateway } from "../../test/test-gateway.ts";
import { recordOf } from "../../test/test-payments.ts";
import { refundRecordOf } from "../../test/test-refunds.ts";

const PAYMENT_ID = "0199aaaa-0000-7000-8000-000000000001";
const REFUND_ID = "0199aaaa-0000-7000-8000-000000000002";
const REPLAYED = { "idempotent-replayed": "true" };

const PAYMENT: OperatorPaymentDetail = {
  merchantId: PAYMENT_ID,
  payment: recordOf({ paymentId: PAYMENT_ID, orderId: "ORDER-1" }),
  accountId: TEST_ACCOUNT_ID,
  livemode: true,
  state: "SUCCESS",
  unresolved: false,
  ageSeconds: 1,
  overdue: false,
  attempts: 0,
  history: [],
};

let gateway: TestGateway;
const services: Awaited<ReturnType<typeof serveCommands>>[] = [];
/** The refunds that the refunds service was asked for. */
let requested: string[] = [];
let inquiries = 0;
let problem: ProblemCode | undefined;

beforeAll(async () => {
  gateway = await startTestGateway();
  const payments = handler(operations.getOperatorPayment.command, async () => {
    return { outcome: "done", result: PAYMENT };
  });
  const refund = handler(operations.requestRefundForMerchant.command, async ({ payload }) => {
    requested.push(payload.refundId);
    return answer(payload.refundId);
  });
  const inquiry = handler(operations.inquireRefund.command, async ({ payload }) => {
    inquiries += 1;
    return answer(payload.refundId);
  });
  services.push(
    await serveCommands(gateway.nats.url, "payments", [payments]),
    await serveCommands(gateway.nats.url, "refunds", [refund, inquiry]),
  );
});
beforeEach(async () => {
  [requested, inquiries, problem] = [[], 0, undefined];
  await asOwner("delete from operator_key");
});
afterAll(async () => {
  for (const service of services) await service.stop();
  await gateway.stop();
});

function answer(refundId: string): CommandReply<OperatorRefundDetail> {
  if (problem) return { outcome: "problem", code: problem };
  const record = refundRecordOf({ refundId, paymentId: PAYMENT_ID, amountMinor: "1250", currency: "TRY" });
  const queue = { approvals: 0, approvalsRequired: 1, approvedBy: [], ageSeconds: 0, overdue: false };
  const rest = { merchantId: PAYMENT_ID, state: "PENDING_APPROVAL", attempts: 0 } as const;
  return { outcome: "done", result: { ...record, refundId, ...queue, ...rest, history: [] } };
}

function send(path: string, body: object | undefined, key: string, method = "POST") {
  const headers = { "idempotency-key": key };
  return gateway.operatorApi({ method, path, headers, ...(body && { body: JSON.stringify(body) }) });
}

const createMerchant = (key: string, name = "A shop") => send("/operator/merchants", { name }, key);
const inquire = (key: string) => send(`/operator/refunds/${REFUND_ID}/inquire`, undefined, key);
const requestRefund = (key: string, amount = 12.5) =>
  send(`/operator/payments/${PAYMENT_ID}/refunds`, { amount, currency: "TRY", reason: "call 17" }, key);

async function asOwner(sql: string): Promise<Record<string, unknown>[]> {
  return await withClient(
    gateway.database.urls.gateway.owner,
    async (client) => (await client.query(sql)).rows,
  );
}

/** Leaves the key as after the death of the process that carried the request out. */
async function loseAnswer({ leaseIsOver }: { leaseIsOver: boolean }): Promise<void> {
  const end = leaseIsOver ? "now() - interval '1 second'" : "now() + interval '1 hour'";
  await asOwner(`update operator_key set answer = null, leased_until = ${end}`);
}

test("a merchant is made once, and a repetition gets the answer without the secret, which is kept nowhere", async () => {
  const first = await createMerchant("onboard", "Keyed");
  const again = await createMerchant("onboard", "Keyed");
  const { merchantId, apiKey, apiSecret } = merchantOf(first);
  expect(apiSecret).toMatch(/^hs_/);
  expect(again).toMatchObject({ status: 201, headers: { ...REPLAYED, location: first.headers["location"] } });
  expect(again.body).toEqual({ merchantId, apiKey, livemode: true, name: "Keyed" });
  expect(first.headers).not.toHaveProperty("idempotent-replayed");
  expect(await asOwner("select name from merchant where name = 'Keyed'")).toHaveLength(1);
  const [{ answer: kept } = {}] = await asOwner(
    "select convert_from(answer, 'UTF8') as answer from operator_key",
  );
  expect(kept).toContain(apiKey);
  expect(kept).not.toContain(apiSecret);
});

test("so is a second credential, and its answer is kept by the transaction that adds it", async () => {
  const { merchantId, apiKey } = await gateway.createMerchant();
  const path = `/operator/merchants/${merchantId}/credentials`;
  const first = await send(path, undefined, "rotate");
  expect((await send(path, undefined, "rotate")).body).toEqual({
    merchantId,
    apiKey: merchantOf(first).apiKey,
    livemode: true,
  });
  const rows = await asOwner(`
    select operator_key.xmin = credential.xmin as together from operator_key, credential
    where merchant_id = '${merchantId}' and api_key <> '${apiKey}'`);
  expect(rows).toEqual([{ together: true }]);
});

test("another request under the key is refused, also with another body or path; another operator's key is another", async () => {
  await createMerchant("mine");
  expectProblem(await createMerchant("mine", "Another"), "idempotency_key_reused");
  expect((await requestRefund("mine")).status).toBe(202);
  expectProblem(await requestRefund("mine", 12.51), "idempotency_key_reused");
  const token = await gateway.identity.token({ claims: { sub: "bora", roles: ["onboarder"] } });
  const headers = { authorization: `Bearer ${token}`, "idempotency-key": "mine" };
  const body = JSON.stringify({ name: "A shop" });
  const theirs = await gateway.operatorApi({ method: "POST", path: "/operator/merchants", body, headers });
  expect(theirs.status).toBe(201);
  expect(theirs.headers).not.toHaveProperty("idempotent-replayed");
});

test("of requests that come together, one is carried out", async () => {
  const answers = await Promise.all(Array.from({ length: 6 }, () => requestRefund("twins")));
  expect(requested).toHaveLength(1);
  const codes = new Set(answers.map(({ status, body }) => body["code"] ?? status));
  expect([...codes].filter((code) => code !== 202 && code !== "idempotency_key_in_use")).toEqual([]);
  expect(codes).toContain(202);
});

test("a request that left no answer is repeated after its lease, under the same id; until then it is in use", async () => {
  await requestRefund("lost");
  await loseAnswer({ leaseIsOver: false });
  const early = await requestRefund("lost");
  expectProblem(early, "idempotency_key_in_use");
  expect(early.headers["retry-after"]).toBe("1");
  await loseAnswer({ leaseIsOver: true });
  expectProblem(await requestRefund("lost", 12.51), "idempotency_key_reused");
  expect(await requestRefund("lost")).toMatchObject({ status: 202 });
  expect(requested).toHaveLength(2);
  expect(new Set(requested).size).toBe(1);
  expect(await requestRefund("lost")).toMatchObject({ status: 202, headers: REPLAYED });
});

test.each([
  ["refund_already_decided", 1],
  ["acquirer_declined", 1],
  ["operation_in_progress", 2],
  ["too_young", 2],
  ["refund_not_found", 2],
] as const)("after %s the request is carried out this often: %i", async (code, times) => {
  problem = code;
  const [first, second] = [await inquire("refused"), await inquire("refused")];
  expect([first.body["type"], second.body["type"]]).toEqual([problemType(code), problemType(code)]);
  expect("idempotent-replayed" in second.headers).toBe(times === 1);
  expect(inquiries).toBe(times);
});

test("the same amount may be written in another way", async () => {
  const path = `/operator/payments/${PAYMENT_ID}/refunds`;
  const ask = (amount: string) => {
    const body = `{"amount": ${amount}, "currency": "TRY", "reason": "x"}`;
    return gateway.operatorApi({ method: "POST", path, body, headers: { "idempotency-key": "amount" } });
  };
  expect((await ask("12.5")).status).toBe(202);
  expect(await ask("12.500")).toMatchObject({ status: 202, headers: REPLAYED });
  expect(await ask("1.25e1")).toMatchObject({ status: 202, headers: REPLAYED });
  expect(requested).toHaveLength(1);
});

test("what PUT and PATCH do is done once, too, and a key that cannot be one is refused", async () => {
  const { merchantId } = await gateway.createMerchant();
  const rename = (key: string) => send(`/operator/merchants/${merchantId}`, { name: "B" }, key, "PATCH");
  expect(await rename("name")).toMatchObject({ status: 200 });
  expect(await rename("name")).toMatchObject({ status: 200, headers: REPLAYED });
  expectProblem(await rename(" "), "validation_failed", { errors: expect.anything() });
});

test("keys older than their time are forgotten", async () => {
  await inquire("old");
  await inquire("young");
  await asOwner("update operator_key set created_at = now() - interval '8 days' where key = 'old'");
  const { log } = captureLog("api-gateway");
  const url = gateway.database.urls.gateway.operator;
  const pool = createPool({
    url,
    connectionsMax: 1,
    connectionTimeoutMs: 5_000,
    applicationName: "purge",
    log,
  });
  onTestFinished(() => pool.end());
  const purge = { table: "operator_key", olderThanMs: 7 * 86_400_000 };
  expect(await purgeIdempotencyKeys(createDatabase(pool), purge)).toBe(1);
  expect(await asOwner("select key from operator_key")).toEqual([{ key: "young" }]);
});

test("every member of an answer that is a secret by its name is kept nowhere", () => {
  const secrets = ENDPOINTS.filter(takesIdempotencyKey).flatMap((endpoint) => {
    const members = Object.values(endpoint.responses).flatMap(({ body }) =>
      body && "shape" in body ? Object.keys(body.shape as object) : [],
    );
    const once = shownOnceIn(endpoint);
    const named = members.filter((name) => /secret$/i.test(name));
    return named.map((name) => `${endpoint.operationId} ${name} ${once.includes(name)}`);
  });
  expect(secrets.toSorted()).toEqual([
    "addCredential apiSecret true",
    "addCredentialAsStaff apiSecret true",
    "createMerchant apiSecret true",
    "createMerchantWebhook secret true",
    "createWebhook secret true",
    "createWebhookAsStaff secret true",
    "putMerchantWebhook secret true",
    "putWebhookAsStaff secret true",
    "rotateMerchantWebhookSecret secret true",
    "rotateWebhookEndpointSecret secret true",
    "rotateWebhookSecret secret true",
    "rotateWebhookSecretAsStaff secret true",
  ]);
  // The stores of merchants' keys keep whole answers, so that theirs with a secret are in none of them.
  const merchants = ENDPOINTS.filter(
    (endpoint) => endpoint.listener === "merchant" && shownOnceIn(endpoint).length > 0,
  );
  expect(merchants.map(({ carriedOutEachTime }) => carriedOutEachTime)).toEqual([true, true]);
});
