import { randomUUID } from "node:crypto";
import { operations, type EventType } from "@holdfast/contracts";
import { createReplyRecipient } from "@holdfast/sealing";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  eventually,
  makeTestCertificates,
  startLedgerReceiver,
  startTestSystem,
  type LedgerReceiver,
  type TestSystem,
} from "../support/index.ts";

// The whole way of the events that a merchant's endpoint gets only if it asks for them.
const BOOKS = [
  "payment.captured",
  "refund.requested",
  "payment.enrolled",
  "payment.operation_settled",
] as const satisfies EventType[];

let system: TestSystem;
let shop: LedgerReceiver;
let books: LedgerReceiver;

beforeAll(async () => {
  const certificates = await makeTestCertificates();
  [shop, books] = await Promise.all([startLedgerReceiver(certificates), startLedgerReceiver(certificates)]);
  system = await startTestSystem({
    services: ["payments", "refunds", "webhook-dispatcher"],
    env: { WEBHOOK_CA_FILE: certificates.caFile, ACQUIRER_TIMEOUT: "4s" },
  });
  const { merchantId } = system;
  const { publicKey: recipientKey } = createReplyRecipient();
  await system.operate(operations.putMerchantWebhook.command, { merchantId, url: shop.url, recipientKey });
  await system.operate(operations.createMerchantWebhook.command, {
    merchantId,
    url: books.url,
    events: [...BOOKS],
    recipientKey,
  });
});
afterAll(async () => {
  await system.close();
  await Promise.all([shop.close(), books.close()]);
});

/** The webhooks about one payment or refund: the event's type, and the state and version of the body. */
const eventsAbout = ({ ledger }: LedgerReceiver, paymentId: string) =>
  ledger.flatMap(({ headers, body }) => {
    const record = JSON.parse(body.toString()) as Record<string, unknown>;
    if (record["paymentId"] !== paymentId) return [];
    expect(record["statusDate"]).toEqual(expect.any(String));
    expect(record["version"]).toEqual(expect.any(Number));
    return [`${String(headers["x-event-type"])} ${String(record["status"])}`];
  });

/** An authorization of this amount. */
const authorized = async (amountMinor: string) =>
  await eventually(async () => {
    const command = system.command({ amountMinor });
    const reply = await system.call(operations.preAuthorize.command, command);
    return reply.outcome === "done" && reply.result.status === "SUCCESS" && command.paymentId;
  });

test("a capture and a refund request reach the endpoint that asks for them, and the default one gets what it got", async () => {
  const paymentId = await authorized("10000");
  const operationId = randomUUID();
  await eventually(async () => {
    const payload = { paymentId, operationId };
    return (await system.call(operations.capture.command, payload)).outcome === "done";
  });
  const refundId = randomUUID();
  const refund = { refundId, paymentId, amountMinor: "4000", currency: "TRY" };
  await eventually(
    async () => (await system.call(operations.requestRefund.command, refund)).outcome === "done",
  );

  await eventually(() => {
    expect(eventsAbout(books, paymentId).toSorted()).toEqual([
      "payment.captured CAPTURED",
      "payment.operation_settled CAPTURED",
    ]);
    expect(eventsAbout(books, refundId)).toEqual(["refund.requested PENDING_APPROVAL"]);
    expect(eventsAbout(shop, paymentId)).toEqual(["payment.status_changed SUCCESS"]);
  });
  // The default endpoint asked for neither.
  await eventually(async () =>
    expect(
      await system.query(
        `select event_type, outcome from webhooks.event join webhooks.outcome using (occurred_at, event_id)
         where payment_id = any($1::uuid[]) and endpoint_id = merchant_id order by event_type`,
        [[paymentId, refundId]],
      ),
    ).toEqual([
      { event_type: "payment.captured", outcome: "skipped" },
      { event_type: "payment.operation_settled", outcome: "skipped" },
      { event_type: "payment.status_changed", outcome: "delivered" },
      { event_type: "refund.requested", outcome: "skipped" },
    ]),
  );
});

test("the end of a checkout that nobody paid reaches the endpoint that asks for it", async () => {
  const { merchantId } = system;
  const { publicKey: recipientKey } = createReplyRecipient();
  await system.operate(operations.createMerchantWebhook.command, {
    merchantId,
    url: `${books.url}?checkouts`,
    events: ["checkout.completed", "checkout.expired", "checkout.cancelled"],
    recipientKey,
  });
  const checkoutId = randomUUID();
  await eventually(async () => {
    const order = { checkoutId, orderId: "order-1", amountMinor: "1250", currency: "TRY", threeDs: false };
    const urls = { successUrl: "https://shop.example/a", failureUrl: "https://shop.example/b" };
    const request = { ...order, ...urls, transactionType: "PAYMENT" as const };
    return (await system.call(operations.createCheckout.command, request)).outcome === "done";
  });
  await system.call(operations.cancelCheckout.command, { checkoutId, requestId: randomUUID() });
  await eventually(() => {
    const received = books.ledger.filter(({ body }) => body.toString().includes(checkoutId));
    expect(received).toHaveLength(1);
    expect(received[0]!.headers["x-event-type"]).toBe("checkout.cancelled");
    expect(JSON.parse(received[0]!.body.toString())).toMatchObject({ checkoutId, status: "CANCELLED" });
  });
});

// The last two digits of the amount have the bank capture and never answer, or decline.
test.each([
  ["10092", "pending", { type: "CAPTURE", status: "DONE", amount: 100.92 }],
  ["10091", "problem", { type: "CAPTURE", status: "DECLINED", amount: 100.91 }],
])(
  "the end of a capture of %s, whose request ends as %s, is told with how it ended",
  async (amountMinor, answer, lastOperation) => {
    const paymentId = await authorized(amountMinor);
    const operationId = randomUUID();
    await eventually(async () => {
      const { outcome } = await system.call(operations.capture.command, { paymentId, operationId });
      return outcome === answer;
    });
    await eventually(() => {
      const settled = books.ledger.filter(
        ({ headers, body }) =>
          headers["x-event-type"] === "payment.operation_settled" && body.includes(paymentId),
      );
      expect(settled.map(({ body }) => JSON.parse(body.toString()))).toEqual([
        expect.objectContaining({
          paymentId,
          status: lastOperation.status === "DONE" ? "CAPTURED" : "SUCCESS",
          lastOperation: expect.objectContaining(lastOperation),
        }),
      ]);
    });
  },
);

test("a challenge that a buyer has to pass is told once, and carries neither the way there nor a card", async () => {
  const paymentId = await eventually(async () => {
    const command = {
      ...system.command({ cardData: { pan: CHALLENGED } }),
      sessionId: randomUUID(),
      transactionType: "PAYMENT" as const,
      successUrl: "https://shop.example/paid",
      failureUrl: "https://shop.example/failed",
      returnUrl: "https://gateway.example/3ds/return/state",
      pageUrl: "https://gateway.example/3ds/challenge/state",
    };
    const reply = await system.call(operations.payWith3ds.command, command);
    return "result" in reply && reply.result.challengeWay !== undefined && command.paymentId;
  });
  await eventually(() => expect(eventsAbout(books, paymentId)).toEqual(["payment.enrolled ENROLLED"]));
  const { body } = books.ledger.find((received) => received.body.includes(paymentId))!;
  expect(body.toString()).not.toMatch(/challenge|gateway\.example|4000000000003220/);
});

const CHALLENGED = "4000000000003220";
