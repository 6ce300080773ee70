import { randomUUID } from "node:crypto";
import { apiPaymentResponseSchema } from "@holdfast/contracts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";

let payments: PaymentsHarness;

beforeAll(async () => {
  payments = await startPaymentsHarness({ RECOVERY_INTERVAL: "1h" });
});
afterAll(() => payments.close());

const historyOf = async (paymentId: string) =>
  (
    await payments.query<{ change: string }>(
      `select concat_ws(' ', version, coalesce(from_state, 'NONE'), to_state, cause) as change
       from payments.payment_history where payment_id = $1 order by version`,
      [paymentId],
    )
  ).map(({ change }) => change);

describe("an approval", () => {
  test("is SUCCESS with everything the card's BIN and the acquirer tell", async () => {
    const command = payments.command({ customerId: "customer-1" });
    const reply = await payments.send(command);
    expect(reply).toEqual({
      outcome: "done",
      result: {
        paymentId: command.paymentId,
        orderId: command.orderId,
        amount: 12.5,
        installmentCount: 1,
        currency: "TRY",
        merchantCommission: 0.56,
        status: "SUCCESS",
        statusDate: expect.stringMatching(/^\d{4}-.*Z$/),
        livemode: true,
        version: 2,
        transactionType: "PRE_AUTHORIZATION",
        paymentDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        cardHolderName: "Ada Lovelace",
        pan: "411111******1111",
        domInt: "DOM",
        cardScheme: "VISA",
        cardType: "CREDIT",
        cardSubType: "CLASSIC",
        loyaltyCode: "BONUS",
        externalTransactionId: expect.any(String),
        authCode: expect.any(String),
        resultCode: "00",
        resultMessage: expect.any(String),
        customerId: "customer-1",
      },
    });
  });

  test("reads back the same, is unknown to another merchant, and stands once in the acquirer's ledger", async () => {
    const command = payments.command();
    const reply = await payments.send(command);
    expect(await payments.read(command.paymentId)).toEqual(reply);
    const unknown = { outcome: "problem", code: "payment_not_found" };
    expect(await payments.read(command.paymentId, randomUUID())).toEqual(unknown);
    expect(await payments.read(randomUUID())).toEqual(unknown);
    expect(await payments.ledger(command.paymentId)).toMatchObject([
      {
        operation: "authorize",
        outcome: "approved",
        amountMinor: 1250,
        currency: "TRY",
        pan: "411111******1111",
      },
    ]);
  });

  test("writes history and, in the same transaction, one event whose body is the record", async () => {
    const command = payments.command();
    const reply = await payments.send(command);
    expect(await historyOf(command.paymentId)).toEqual([
      "1 NONE AUTHORIZING claimed",
      "2 AUTHORIZING SUCCESS approved",
    ]);
    const events = await payments.query<{ body: Buffer } & Record<string, unknown>>(
      `select outbox.*, outbox.xact_id = history.xact_id as together, uuid_extract_version(event_id) as id_version
       from payments.outbox join payments.payment_history history on history.payment_id = outbox.payment_id and version = 2
       where outbox.payment_id = $1`,
      [command.paymentId],
    );
    expect(events).toMatchObject([
      {
        event_type: "payment.status_changed",
        status: "SUCCESS",
        merchant_id: payments.merchantId,
        traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        together: true,
        id_version: 7,
        confirmed_at: null,
      },
    ]);
    expect(apiPaymentResponseSchema.parse(JSON.parse(events[0]!.body.toString()))).toEqual(
      reply.outcome === "done" ? reply.result : undefined,
    );
  });
});

test.each([
  ["4000000000000002", "05"],
  ["4000000000009995", "51"],
  ["4000000000000069", "54"],
])(
  "a decline (%s) is FAILED with the acquirer's code, no commission, and an event",
  async (pan, resultCode) => {
    const command = payments.command({ cardData: { pan } });
    expect(await payments.send(command)).toMatchObject({
      outcome: "done",
      result: { status: "FAILED", resultCode, merchantCommission: 0, domInt: "INT" },
    });
    expect(
      await payments.query("select status from payments.outbox where payment_id = $1", [command.paymentId]),
    ).toEqual([{ status: "FAILED" }]);
  },
);

test("a card whose BIN is not known goes without the BIN's fields", async () => {
  const reply = await payments.send(payments.command({ cardData: { pan: "6011000990139424" } }));
  expect(reply).toMatchObject({ outcome: "done", result: { status: "SUCCESS" } });
  for (const field of ["domInt", "cardScheme", "cardType", "cardSubType", "loyaltyCode", "customerId"]) {
    expect(reply).not.toHaveProperty(["result", field]);
  }
});

test.each([
  "4000000000000119",
  "4000000000000127",
  "4000000000000341",
  "4000000000000036",
  "4000000000000051",
])(
  "where the outcome at the acquirer is unknown (%s) the payment is pending as ENROLLED, never FAILED, and no event leaves",
  async (pan) => {
    const command = payments.command({ cardData: { pan } });
    expect(await payments.send(command)).toMatchObject({
      outcome: "pending",
      result: { status: "ENROLLED" },
    });
    expect(
      await payments.query(
        `select state, lease_token, recover_at is not null as due,
           (select count(*)::int from payments.outbox where outbox.payment_id = payment.payment_id) as events
         from payments.payment where payment_id = $1`,
        [command.paymentId],
      ),
    ).toEqual([{ state: "AUTHORIZING", lease_token: null, due: true, events: 0 }]);
  },
);

test("a message past its deadline is not begun", async () => {
  const command = payments.command();
  expect(await payments.send(command, payments.context({ deadlineAt: Date.now() - 1 }))).toEqual({
    outcome: "not_started",
  });
  expect(
    await payments.query("select 1 from payments.payment where payment_id = $1", [command.paymentId]),
  ).toEqual([]);
});

test("a card sealed for another payment is not opened, and nothing is claimed", async () => {
  const command = { ...payments.command(), paymentId: randomUUID() };
  expect(await payments.send(command)).toEqual({ outcome: "problem", code: "internal_error" });
  expect(
    await payments.query("select 1 from payments.payment where payment_id = $1", [command.paymentId]),
  ).toEqual([]);
});

test("a copy of the message is answered from the first one's row; the acquirer is asked once", async () => {
  const command = payments.command();
  const replies = await Promise.all(Array.from({ length: 5 }, () => payments.send(command)));
  for (const reply of replies) expect(reply).toEqual(replies[0]);
  expect(replies[0]).toMatchObject({ outcome: "done", result: { status: "SUCCESS" } });
  expect(await payments.ledger(command.paymentId)).toHaveLength(1);
});

test("a hundred payments at once are all recorded, each with its own answer", async () => {
  const commands = Array.from({ length: 100 }, (_, index) =>
    payments.command({ amountMinor: String(index + 1) }),
  );
  const replies = await Promise.all(commands.map((command) => payments.send(command)));
  replies.forEach((reply, index) =>
    expect(reply).toMatchObject({
      outcome: "done",
      result: { paymentId: commands[index]!.paymentId, amount: (index + 1) / 100, status: "SUCCESS" },
    }),
  );
});

test("what the database refuses fails alone; payments that arrived with it are written", async () => {
  const commands = Array.from({ length: 20 }, (_, index) =>
    payments.command({ orderId: index === 7 ? "x".repeat(65) : `order of ${index}` }),
  );
  const replies = await Promise.all(commands.map((command) => payments.send(command)));
  expect(replies.map(({ outcome }) => outcome)).toEqual(
    commands.map((_, index) => (index === 7 ? "not_started" : "done")),
  );
});
