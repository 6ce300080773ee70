import { readFileSync } from "node:fs";
import { startReceiver, type Receipt } from "@holdfast/merchant-receiver";
import { eventually } from "../../support/index.ts";
import { expect, onTestFinished } from "vitest";
import { preAuthorization, type Client, type RunningSandbox } from "../running-sandbox.ts";
import { runHoldfast } from "../run-program.ts";

const UNKNOWN_ID = "00000000-0000-7000-8000-000000000000";

/** Refunds above 500.00 TRY need two people here. */
export async function expectRefundsNotified(sandbox: RunningSandbox): Promise<void> {
  const receipts = await receiveWebhooks(sandbox);
  const merchant = sandbox.merchant();
  const [alice, bora, vera] = [0, 1, 2].map((index) => sandbox.operator(index)) as [Client, Client, Client];
  const { paymentId } = (await merchant("POST", "/api/payment", preAuthorization({ amount: 100 }))).body;
  const refund = (amount: unknown, more = {}, headers = {}) =>
    merchant("POST", `/api/payment/${paymentId}/refund`, { amount, currency: "TRY", ...more }, headers);

  const first = await refund(30, {}, { "Idempotency-Key": "refund-1" });
  expect(first).toMatchObject({
    status: 202,
    body: { status: "PENDING_APPROVAL", transactionType: "REFUND", parentPaymentId: paymentId, amount: 30 },
  });
  expect(first.headers.get("Location")).toBe(`/api/payment/${first.body.paymentId}`);
  const again = await refund(30, {}, { "Idempotency-Key": "refund-1" });
  expect(again).toMatchObject({ status: 202, text: first.text });
  expect(again.headers.get("Idempotent-Replayed")).toBe("true");
  const second = await refund(20.5);
  await whatIsRefused(merchant, refund, paymentId, first.body.paymentId);

  const queue = await vera("GET", "/operator/refunds?status=PENDING_APPROVAL");
  expect(queue).toMatchObject({
    status: 200,
    body: {
      items: [
        { refundId: first.body.paymentId, amount: 30, remainingRefundableAmount: 49.5 },
        { refundId: second.body.paymentId, amount: 20.5 },
      ],
    },
  });
  const path = (answer: typeof first) => `/operator/refunds/${answer.body.paymentId}`;
  expect(await vera("POST", `${path(first)}/approve`)).toMatchObject({ status: 403 });
  expect(await alice("POST", `${path(first)}/approve`, { note: "seen the parcel" })).toMatchObject({
    status: 200,
    body: { status: "SUCCESS", approvals: 1, approvalsRequired: 1 },
  });
  expect(await bora("POST", `${path(second)}/reject`, { reason: "never sent back" })).toMatchObject({
    status: 200,
    body: { status: "REJECTED", resultMessage: "never sent back" },
  });
  expect(await bora("POST", `${path(first)}/reject`, { reason: "late" })).toMatchObject({
    status: 409,
    body: { code: "refund_already_decided" },
  });
  expect(await merchant("GET", first.headers.get("Location")!)).toMatchObject({
    status: 200,
    body: {
      status: "SUCCESS",
      parentPaymentId: paymentId,
      orderId: expect.stringMatching(/^order-\d+$/),
      pan: "411111******1111",
    },
  });

  const rest = await onBehalf(paymentId, alice, bora);
  const ids = [first.body.paymentId, second.body.paymentId, rest];
  await webhooksTell(merchant, receipts, ids);
  await twoPeopleAboveTheLimit(merchant, alice, bora);
  await auditSaysWho(sandbox, vera, ids);
  expect(await refund(0.01)).toMatchObject({ status: 422, body: { remainingRefundableAmount: 0 } });
  expect(await refundedAtBank(sandbox, ids)).toEqual([3000, 7000]);
}

async function refundedAtBank({ file }: RunningSandbox, ids: string[]): Promise<number[]> {
  const ledger = await (await fetch(`${file.acquirerUrl}/ledger`)).text();
  const lines = ledger.split("\n").filter((line) => ids.some((id) => line.includes(id)));
  return lines.map((line) => (JSON.parse(line) as { amountMinor: number }).amountMinor);
}

export async function expectIssuerKeptFromApproving(sandbox: RunningSandbox): Promise<void> {
  const [alice, bora] = [sandbox.operator(0), sandbox.operator(1)];
  const { merchantId } = sandbox.file.merchants[0]!;
  const { paymentId } = (await sandbox.merchant()("POST", "/api/payment", preAuthorization({ amount: 500 })))
    .body;
  const credentials = `/operator/merchants/${merchantId}/credentials`;
  const { body: issued } = await alice("POST", credentials);
  const refund = { amount: 500, currency: "TRY" };
  const asked = await sandbox.merchant(issued)("POST", `/api/payment/${paymentId}/refund`, refund);
  const path = `/operator/refunds/${asked.body.paymentId}`;
  const same = { status: 403, body: { code: "same_person" } };
  expect(await alice("POST", `${path}/approve`)).toMatchObject(same);
  // The key is gone, and the refund still knows who issued it.
  expect(await alice("DELETE", `${credentials}/${issued.apiKey}`)).toMatchObject({ status: 204 });
  expect(await alice("POST", `${path}/approve`)).toMatchObject(same);
  expect(await alice("POST", `${path}/reject`, { reason: "nobody saw it" })).toMatchObject(same);
  expect(await bora("GET", path)).toMatchObject({
    body: { status: "PENDING_APPROVAL", approvals: 0, credentialIssuedBy: "alice" },
  });
  const log = await bora("GET", `/operator/audit-log?subject=${asked.body.paymentId}`);
  expect(log.body.items.map(({ actor, action }: Record<string, string>) => `${actor} ${action}`)).toEqual([
    "alice refund.rejection_refused",
    "alice refund.approval_refused",
    "alice refund.approval_refused",
  ]);
  expect(await bora("POST", `${path}/approve`)).toMatchObject({ status: 200, body: { status: "SUCCESS" } });
}

async function receiveWebhooks(sandbox: RunningSandbox): Promise<Receipt[]> {
  const receipts: Receipt[] = [];
  const { merchantId } = sandbox.file.merchants[0]!;
  const options = {
    cert: readFileSync(sandbox.file.receiver.certFile),
    key: readFileSync(sandbox.file.receiver.keyFile),
    port: 0,
    onReceipt: (receipt: Receipt) => void receipts.push(receipt),
  };
  // The URL is known before the secret that goes with it.
  const placeholder = await startReceiver({ ...options, secret: "" });
  await placeholder.close();
  const { body } = await sandbox.operator()("PUT", `/operator/merchants/${merchantId}/webhook`, {
    url: placeholder.url,
  });
  const receiver = await startReceiver({ ...options, port: placeholder.port, secret: body.secret });
  onTestFinished(() => receiver.close());
  return receipts;
}

type Refund = (amount: unknown, more?: object) => ReturnType<Client>;

async function whatIsRefused(
  merchant: Client,
  refund: Refund,
  paymentId: string,
  refundId: string,
): Promise<void> {
  expect(await refund(49.51)).toMatchObject({
    status: 422,
    body: { code: "refund_amount_exceeds_remaining", remainingRefundableAmount: 49.5 },
  });
  expect(await refund(1, { currency: "EUR" })).toMatchObject({
    status: 422,
    body: { code: "currency_mismatch" },
  });
  for (const amount of [0, -1, 1.001, "1"]) expect(await refund(amount)).toMatchObject({ status: 400 });
  const ask = (id: string) => merchant("POST", `/api/payment/${id}/refund`, { amount: 1, currency: "TRY" });
  expect(await ask(UNKNOWN_ID)).toMatchObject({ status: 404, body: { code: "payment_not_found" } });
  expect(await ask(refundId)).toMatchObject({
    status: 409,
    body: { code: "payment_not_refundable", currentStatus: "PENDING_APPROVAL" },
  });
  const declined = await merchant("POST", "/api/payment", preAuthorization({ pan: "4000000000000002" }));
  expect(await ask(declined.body.paymentId)).toMatchObject({
    status: 409,
    body: { code: "payment_not_refundable", currentStatus: "FAILED" },
  });
  expect(await merchant("POST", `/api/payment/${paymentId}/cancel`)).toMatchObject({ status: 409 });
  expect(await merchant("GET", `/api/payment/${UNKNOWN_ID}`)).toMatchObject({ status: 404 });
}

/** The rest of the payment, asked for by an operator, who cannot approve it. */
async function onBehalf(paymentId: string, alice: Client, bora: Client): Promise<string> {
  const body = { amount: 70, currency: "TRY", reason: "goodwill" };
  expect(await alice("POST", `/operator/payments/${UNKNOWN_ID}/refunds`, body)).toMatchObject({
    status: 404,
  });
  const asked = await alice("POST", `/operator/payments/${paymentId}/refunds`, body);
  expect(asked).toMatchObject({ status: 202, body: { requestedBy: "alice", remainingRefundableAmount: 0 } });
  const path = asked.headers.get("Location")!;
  expect(await alice("POST", `${path}/approve`)).toMatchObject({
    status: 403,
    body: { code: "same_person" },
  });
  expect(await bora("POST", `${path}/approve`)).toMatchObject({ status: 200, body: { status: "SUCCESS" } });
  expect(await alice("GET", path)).toMatchObject({
    status: 200,
    body: {
      history: [{ to: "PENDING_APPROVAL" }, { to: "EXECUTING" }, { to: "SETTLING" }, { to: "SUCCESS" }],
    },
  });
  return asked.body.refundId as string;
}

/** Each end once, authentic, and with the bytes a GET gives but for the fields only webhooks have. */
async function webhooksTell(merchant: Client, receipts: Receipt[], ids: string[]): Promise<void> {
  const bodies = await eventually(() => {
    const bodies = receipts.map(({ received }) => JSON.parse(Buffer.from(received.body).toString()));
    const ours = bodies.filter((body) => ids.includes(body.paymentId));
    return ours.length === ids.length && ours;
  });
  expect(receipts.every(({ verdict }) => verdict.valid)).toBe(true);
  for (const body of bodies) {
    const { cardSubType, ...shown } = body;
    expect(cardSubType).toBe("CLASSIC");
    expect((await merchant("GET", `/api/payment/${body.paymentId}`)).body).toEqual(shown);
  }
}

async function twoPeopleAboveTheLimit(merchant: Client, alice: Client, bora: Client): Promise<void> {
  const { body } = await merchant("POST", "/api/pre-authorization", preAuthorization({ amount: 600 }));
  const asked = await merchant("POST", `/api/payment/${body.paymentId}/refund`, {
    amount: 600,
    currency: "TRY",
  });
  const approve = `/operator/refunds/${asked.body.paymentId}/approve`;
  expect(await alice("POST", approve)).toMatchObject({
    status: 200,
    body: { status: "PENDING_APPROVAL", approvals: 1, approvalsRequired: 2 },
  });
  expect(await alice("POST", approve)).toMatchObject({
    status: 409,
    body: { code: "already_approved_by_you" },
  });
  expect(await bora("POST", approve)).toMatchObject({
    status: 200,
    body: { status: "SUCCESS", approvals: 2 },
  });
  // The refund was a release, so nothing is left to capture.
  expect(await merchant("POST", `/api/payment/${body.paymentId}/capture`)).toMatchObject({ status: 409 });
}

async function auditSaysWho(sandbox: RunningSandbox, vera: Client, ids: string[]): Promise<void> {
  const { body } = await vera("GET", "/operator/audit-log?limit=200");
  const entries = body.items.filter(({ subject }: { subject: string }) => ids.includes(subject));
  expect(entries.map(({ actor, action }: Record<string, string>) => `${actor} ${action}`)).toEqual([
    "refunds refund.sent_to_bank",
    "bora refund.approved",
    "bora refund.agreed",
    "alice refund.approval_refused",
    "alice refund.requested",
    "bora refund.rejected",
    "refunds refund.sent_to_bank",
    "alice refund.approved",
    "alice refund.agreed",
    "vera access.refused",
  ]);
  const verified = await runHoldfast("verify-audit", "--home", sandbox.home);
  expect(verified.stdout).toMatch(/refunds: intact, \d+ entries[^]*0 broken/);
  expect(verified.status).toBe(0);
}
