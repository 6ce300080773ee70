import { randomUUID } from "node:crypto";
import {
  operations,
  recordChargebackLines,
  type ApiPaymentResponse,
  type CommandReply,
  type MessageContext,
} from "@holdfast/contracts";
import { evenSchedule, eventually } from "@holdfast/tests/support";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";

let payments: PaymentsHarness;

beforeAll(async () => {
  payments = await startPaymentsHarness({
    // The time that a call with a late answer takes, and that a call with an answer may take.
    ACQUIRER_TIMEOUT: "4s",
    RECOVERY_SCHEDULE: evenSchedule(100, 150),
    RECOVERY_INTERVAL: "30ms",
    EXPIRY_INTERVAL: "50ms",
  });
  await payments.startAnother();
});
afterAll(() => payments.close());

type Reply = CommandReply<ApiPaymentResponse>;

async function authorize(amountMinor = "10000"): Promise<string> {
  const command = payments.command({ amountMinor });
  expect(await payments.send(command)).toMatchObject({ outcome: "done", result: { status: "SUCCESS" } });
  return command.paymentId;
}

async function sell(amountMinor = "10000", change: object = {}): Promise<string> {
  const command = payments.command({ amountMinor });
  expect(await payments.call(operations.pay.command, { ...command, ...change })).toMatchObject({
    outcome: "done",
  });
  return command.paymentId;
}

const capture = (paymentId: string, amount?: string, change?: Partial<MessageContext>): Promise<Reply> =>
  payments.call(
    operations.capture.command,
    { paymentId, operationId: randomUUID(), ...(amount && { amount }) },
    change,
  );
const cancel = (paymentId: string, change?: Partial<MessageContext>): Promise<Reply> =>
  payments.call(
    operations.cancel.command,
    { paymentId, operationId: randomUUID(), reason: "changed mind" },
    change,
  );

const ledger = async (paymentId: string) =>
  (await payments.ledger(paymentId)).map(
    ({ operation, outcome, amountMinor }) => `${operation} ${outcome} ${amountMinor}`,
  );
const events = async (paymentId: string) =>
  (
    await payments.query<{ status: string }>(
      "select status from payments.outbox where payment_id = $1 and event_type = 'payment.status_changed' order by event_id",
      [paymentId],
    )
  ).map(({ status }) => status);
const status = async (paymentId: string) => {
  const reply = await payments.read(paymentId);
  return reply.outcome === "done" ? reply.result.status : reply.outcome;
};
const settled = (paymentId: string) =>
  eventually(async () => {
    const [row] = await payments.query<{ open: boolean }>(
      "select operation_id is not null as open from payments.payment where payment_id = $1",
      [paymentId],
    );
    return row?.open === false;
  });

describe("a sale", () => {
  test("is one step at the acquirer, with the installments and the programme that were asked for", async () => {
    const command = { ...payments.command(), installmentCount: 6, loyaltyCode: "BONUS" };
    expect(await payments.call(operations.pay.command, command)).toMatchObject({
      outcome: "done",
      result: { status: "SUCCESS", transactionType: "PAYMENT", installmentCount: 6, loyaltyCode: "BONUS" },
    });
    expect(await payments.ledger(command.paymentId)).toMatchObject([{ loyaltyCode: "BONUS" }]);
    expect(await ledger(command.paymentId)).toEqual(["sale approved 1250"]);
    expect(await events(command.paymentId)).toEqual(["SUCCESS"]);
  });

  test("with more installments than the card's programme allows is refused, before anything is claimed", async () => {
    const troy = { orderId: "order-1", cardData: { pan: "9792000000000003" } };
    const change = { installmentCount: 2, ...payments.command(troy) };
    const refusal = { outcome: "problem", code: "installments_not_allowed", extra: { allowed: [1] } };
    const key = { idempotency: { key: randomUUID(), scope: "POST /api/payment" } };
    expect(await payments.call(operations.pay.command, change, key)).toEqual(refusal);
    const again = { ...change, ...payments.command(troy) };
    expect(await payments.call(operations.pay.command, again, key)).toEqual({ ...refusal, replayed: true });
    expect(
      await payments.query("select 1 from payments.payment where payment_id = $1", [change.paymentId]),
    ).toEqual([]);
    expect(await ledger(change.paymentId)).toEqual([]);
  });

  test.each([
    ["another programme than the card's", "4111111111111111", ["BONUS"]],
    ["the same in other letters", "4111111111111111", ["BONUS"], "bonus"],
    ["a programme, with a card that has none", "378282246310005", []],
  ])("of %s is refused, and says what the card has", async (_case, pan, allowed, loyaltyCode = "WORLD") => {
    const command = { ...payments.command({ cardData: { pan } }), loyaltyCode };
    const refusal = { outcome: "problem", code: "loyalty_not_allowed", extra: { allowed } };
    expect(await payments.call(operations.pay.command, command)).toEqual(refusal);
    expect(await ledger(command.paymentId)).toEqual([]);
  });

  test("whose answer is lost is found by inquiry, like a pre-authorization", async () => {
    await payments.acquirerWill("sale", "hang");
    const command = payments.command();
    expect(await payments.call(operations.pay.command, command)).toMatchObject({ outcome: "pending" });
    await eventually(async () => (await status(command.paymentId)) === "SUCCESS");
    expect(await ledger(command.paymentId)).toEqual(["sale approved 1250"]);
  });
});

describe("a capture", () => {
  test("takes a part, once; the amount stays what was authorized; no webhook", async () => {
    const paymentId = await authorize();
    expect(await capture(paymentId, "60")).toMatchObject({
      outcome: "done",
      result: { status: "CAPTURED", amount: 100, capturedAmount: 60, merchantCommission: 1.75 },
    });
    expect(await capture(paymentId)).toMatchObject({
      outcome: "problem",
      code: "invalid_payment_state",
      extra: { currentStatus: "CAPTURED" },
    });
    expect(await ledger(paymentId)).toEqual(["authorize approved 10000", "capture approved 6000"]);
    expect(await events(paymentId)).toEqual(["SUCCESS"]);
  });

  test("of another merchant's payment, of an unknown one, or in another currency is refused", async () => {
    const paymentId = await authorize();
    const stranger = { merchant: { merchantId: randomUUID() } };
    const unknown = { outcome: "problem", code: "payment_not_found" };
    expect(await capture(paymentId, undefined, stranger)).toEqual(unknown);
    expect(await capture(randomUUID())).toEqual(unknown);
    const inEuro = { paymentId, operationId: randomUUID(), currency: "EUR" };
    expect(await payments.call(operations.capture.command, inEuro)).toEqual({
      outcome: "problem",
      code: "currency_mismatch",
    });
    expect(await status(paymentId)).toBe("SUCCESS");
  });

  test("declined by the bank leaves the payment as it was, and another one may follow", async () => {
    const paymentId = await authorize();
    expect(await capture(paymentId, "10.91")).toMatchObject({
      outcome: "problem",
      code: "acquirer_declined",
      extra: { resultCode: expect.any(String) },
    });
    expect(await status(paymentId)).toBe("SUCCESS");
    expect(await capture(paymentId, "10")).toMatchObject({ outcome: "done" });
  });

  test.each([
    ["done but never answered", "10.92"],
    ["not done and never answered", "10.93"],
    ["answered late", "10.94"],
    ["HTTP 500 after doing it", "10.95"],
  ])(
    "%s is asked about and repeated until it is known; it is done once and never reversed",
    async (_case, amount) => {
      const paymentId = await authorize();
      expect(await capture(paymentId, amount)).toMatchObject({
        outcome: "pending",
        result: { status: "SUCCESS" },
      });
      await settled(paymentId);
      expect(await status(paymentId)).toBe("CAPTURED");
      const minor = amount.replace(".", "");
      expect(await ledger(paymentId)).toEqual(["authorize approved 10000", `capture approved ${minor}`]);
    },
  );

  test("under one Idempotency-Key is one capture; a stored refusal and a stored decline are repeated too", async () => {
    const paymentId = await authorize();
    const key = () => ({
      idempotency: { key: randomUUID(), scope: `POST /api/payment/${paymentId}/capture` },
    });
    const declined = key();
    const answer = await capture(paymentId, "10.91", declined);
    expect(await capture(paymentId, "10.91", declined)).toEqual({ ...answer, replayed: true });
    const done = key();
    const captured = await capture(paymentId, "10", done);
    expect(await capture(paymentId, "10", done)).toEqual({ ...captured, replayed: true });
    expect(await capture(paymentId, "11", done)).toEqual({
      outcome: "problem",
      code: "idempotency_key_reused",
    });
    const refused = key();
    const refusal = await capture(paymentId, "10", refused);
    expect(refusal).toMatchObject({ code: "invalid_payment_state" });
    expect(await capture(paymentId, "10", refused)).toEqual({ ...refusal, replayed: true });
  });

  test("sent twice by the gateway is one capture with one answer", async () => {
    const paymentId = await authorize();
    const message = { paymentId, operationId: randomUUID() };
    const [one, other] = await Promise.all([
      payments.call(operations.capture.command, message),
      payments.call(operations.capture.command, message),
    ]);
    expect(one).toMatchObject({ outcome: "done", result: { status: "CAPTURED" } });
    expect(other).toEqual(one);
  });

  test("whose acquirer cannot be reached is not started, and nothing is left on the payment", async () => {
    const alone = await startPaymentsHarness();
    const command = alone.command();
    await alone.send(command);
    await alone.acquirer.close();
    const operation = { paymentId: command.paymentId, operationId: randomUUID() };
    expect(await alone.call(operations.capture.command, operation)).toEqual({ outcome: "not_started" });
    expect(
      await alone.query(
        "select payment.operation_id, payment_operation.state from payments.payment join payments.payment_operation using (payment_id)",
      ),
    ).toEqual([{ operation_id: null, state: "DROPPED" }]);
    await alone.close();
  });
});

describe("a cancellation", () => {
  test("lets go of an authorization, with a webhook, and is final", async () => {
    const paymentId = await authorize();
    expect(await cancel(paymentId)).toMatchObject({
      outcome: "done",
      result: { status: "CANCELLED", merchantCommission: 0 },
    });
    expect(await events(paymentId)).toEqual(["SUCCESS", "CANCELLED"]);
    expect(await ledger(paymentId)).toEqual(["authorize approved 10000", "cancel approved 10000"]);
    expect(await capture(paymentId)).toMatchObject({ code: "invalid_payment_state" });
    expect(await cancel(paymentId)).toMatchObject({ code: "invalid_payment_state" });
  });

  test("shows its reason in the answer, to whoever reads the payment, in the webhook, and to operators", async () => {
    const paymentId = await authorize();
    const command = { paymentId, operationId: randomUUID(), reason: "out of stock" };
    const shown = { result: { status: "CANCELLED", cancelReason: "out of stock" } };
    expect(await payments.call(operations.cancel.command, command)).toMatchObject(shown);
    expect(await payments.read(paymentId)).toMatchObject(shown);
    const [body] = await payments.query<{ reason: string }>(
      `select convert_from(body, 'UTF8')::json ->> 'cancelReason' as reason from payments.outbox
       where convert_from(body, 'UTF8')::json ->> 'status' = 'CANCELLED' and payment_id = $1`,
      [paymentId],
    );
    expect(body).toEqual({ reason: "out of stock" });
    expect(await payments.operate(operations.getOperatorPayment.command, { paymentId })).toMatchObject({
      result: { operations: [{ type: "CANCEL", status: "DONE", reason: "out of stock", amount: 100 }] },
    });
  });

  test("waits for a refund that has not ended, and its key is free for when it has", async () => {
    const paymentId = await authorize();
    const reserve = (minor: number) =>
      payments.query(`update payments.payment set reserved_minor = ${minor} where payment_id = $1`, [
        paymentId,
      ]);
    const key = { idempotency: { key: randomUUID(), scope: "POST /api/payment/id/cancel" } };
    const ask = () => payments.call(operations.cancel.command, { paymentId, operationId: randomUUID() }, key);
    await reserve(4_000);
    expect(await ask()).toEqual({
      outcome: "problem",
      code: "refund_pending",
      extra: { pendingRefundAmount: 40 },
    });
    await reserve(0);
    expect(await ask()).toMatchObject({ outcome: "done", result: { status: "CANCELLED" } });
    expect(await ledger(paymentId)).toEqual(["authorize approved 10000", "cancel approved 10000"]);
  });

  test("voids a sale on its business day and not on the next", async () => {
    const today = await sell();
    expect(await cancel(today)).toMatchObject({ outcome: "done", result: { status: "CANCELLED" } });
    const yesterday = await sell();
    await payments.query(
      "update payments.payment set created_at = now() - interval '25 hours' where payment_id = $1",
      [yesterday],
    );
    expect(await cancel(yesterday)).toMatchObject({ code: "invalid_payment_state" });
    expect(await ledger(yesterday)).toEqual(["sale approved 10000"]);
  });

  test("whose answer is lost ends CANCELLED once, with one event", async () => {
    const paymentId = await authorize("1092");
    expect(await cancel(paymentId)).toMatchObject({ outcome: "pending", result: { status: "SUCCESS" } });
    await settled(paymentId);
    expect(await events(paymentId)).toEqual(["SUCCESS", "CANCELLED"]);
    expect(await ledger(paymentId)).toEqual(["authorize approved 1092", "cancel approved 1092"]);
  });

  test("that the bank never got is not sent again after a chargeback, and the case says no more that it is paid twice", async () => {
    const paymentId = await sell();
    await payments.acquirerWill("cancel", "hang_before");
    await payments.acquirerWill("inquire", "http_500", 10_000);
    expect(await cancel(paymentId)).toMatchObject({ outcome: "pending" });
    const line = { lineId: "c".repeat(64), kind: "CHARGEBACK" as const, paymentId, currency: "TRY" };
    await payments.askAsGateway(recordChargebackLines, { lines: [{ ...line, amountMinor: "10000" }] });
    const excess = () =>
      payments.query("select excess_minor::int as minor from payments.chargeback where payment_id = $1", [
        paymentId,
      ]);
    expect(await excess()).toEqual([{ minor: 10_000 }]);
    await payments.query(
      "update payments.bank_call set sent_at = sent_at - interval '1 hour' where payment_id = $1",
      [paymentId],
    );
    await payments.acquirerWillBehave();
    await settled(paymentId);
    expect(await payments.read(paymentId)).toMatchObject({
      result: { status: "SUCCESS", lastOperation: { status: "DECLINED", resultCode: "charged_back" } },
    });
    expect(await ledger(paymentId)).toEqual(["sale approved 10000"]);
    expect(await excess()).toEqual([{ minor: 0 }]);
  });
});

describe("raced over two processes", () => {
  test.each([
    ["captures", () => capture],
    ["cancellations", () => cancel],
  ])("of twenty %s one is done", async (_case, operation) => {
    const paymentId = await authorize();
    const replies = await Promise.all(Array.from({ length: 20 }, () => operation()(paymentId)));
    expect(replies.filter(({ outcome }) => outcome === "done")).toHaveLength(1);
    const codes = new Set(replies.flatMap((reply) => (reply.outcome === "problem" ? [reply.code] : [])));
    expect(
      [...codes].every((code) => code === "operation_in_progress" || code === "invalid_payment_state"),
    ).toBe(true);
    expect(await ledger(paymentId)).toHaveLength(2);
  });

  test("of captures and cancellations together one is done", async () => {
    const paymentId = await authorize();
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 ? capture(paymentId) : cancel(paymentId))),
    );
    expect(replies.filter(({ outcome }) => outcome === "done")).toHaveLength(1);
    expect(await ledger(paymentId)).toHaveLength(2);
  });
});

describe("an expiry", () => {
  const dueInHours = async (paymentId: string) => {
    const [row] = await payments.query<{ hours: number }>(
      `select round(extract(epoch from authorization_expires_at - now()) / 3600)::int as hours
       from payments.payment where payment_id = $1`,
      [paymentId],
    );
    return row?.hours;
  };
  const age = (paymentId: string) =>
    payments.query("update payments.payment set authorization_expires_at = now() where payment_id = $1", [
      paymentId,
    ]);

  test("lets go of an old authorization, with a webhook, and of nothing else", async () => {
    const [old, young, sold, taken] = [await authorize(), await authorize(), await sell(), await authorize()];
    await capture(taken);
    for (const paymentId of [old, sold, taken]) await age(paymentId);
    await eventually(async () => (await status(old)) === "CANCELLED");
    expect(await ledger(old)).toEqual(["authorize approved 10000", "cancel approved 10000"]);
    expect(await events(old)).toEqual(["SUCCESS", "CANCELLED"]);
    expect(await Promise.all([young, sold, taken].map(status))).toEqual(["SUCCESS", "SUCCESS", "CAPTURED"]);
  });

  test("and a capture at the same time: one of the two is done", async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, () => authorize()));
    await Promise.all(ids.map(async (paymentId) => Promise.all([age(paymentId), capture(paymentId)])));
    await eventually(async () => {
      const found = await Promise.all(ids.map(status));
      return found.every((each) => each === "CANCELLED" || each === "CAPTURED");
    });
    for (const paymentId of ids) expect(await ledger(paymentId)).toHaveLength(2);
  });

  test("goes on while more are due, whatever the interval, and two processes share them", async () => {
    const crowded = await startPaymentsHarness({ EXPIRY_INTERVAL: "1h" });
    const commands = Array.from({ length: 150 }, () => crowded.command());
    await Promise.all(commands.map((command) => crowded.send(command)));
    await crowded.query("update payments.payment set authorization_expires_at = now()");
    await Promise.all([crowded.startAnother(), crowded.startAnother()]);
    await eventually(async () => {
      const [left] = await crowded.query<{ count: number }>(
        "select count(*)::int from payments.payment where state <> 'CANCELLED'",
      );
      return left?.count === 0;
    });
    const calls = (await crowded.wholeLedger()).map(({ operation }) => operation);
    expect(calls.filter((operation) => operation === "cancel")).toHaveLength(150);
    await crowded.close();
  });

  test("that was taken and not begun, as by a process that dies, is due again after a lease", async () => {
    const alone = await startPaymentsHarness({
      EXPIRY_INTERVAL: "50ms",
      ACQUIRER_TIMEOUT: "2s",
      LEASE_DURATION: "6s",
    });
    const command = alone.command();
    await alone.send(command);
    // Taking the authorization succeeds, and the next statement fails.
    await alone.query("alter table payments.payment_operation add constraint none check (false) not valid");
    await alone.query("update payments.payment set authorization_expires_at = now()");
    await eventually(async () => {
      const [due] = await alone.query<{ later: boolean }>(
        "select authorization_expires_at > now() as later from payments.payment",
      );
      return due?.later;
    });
    await alone.query("alter table payments.payment_operation drop constraint none");
    const states = () => alone.query("select state from payments.payment");
    await eventually(async () => expect(await states()).toEqual([{ state: "CANCELLED" }]));
    await alone.close();
  });

  test("that cannot be sent is tried again soon, and then less and less often", async () => {
    const alone = await startPaymentsHarness({ EXPIRY_INTERVAL: "50ms" });
    await alone.send(alone.command());
    await alone.acquirer.close();
    for (const [times, seconds] of [5, 10, 20].entries()) {
      await alone.query("update payments.payment set authorization_expires_at = now()");
      await eventually(async () => {
        const [found] = await alone.query<{ dropped: number; due: number }>(
          `select (select count(*)::int from payments.payment_operation where state = 'DROPPED') as dropped,
             extract(epoch from authorization_expires_at - updated_at)::float as due from payments.payment`,
        );
        expect(found?.dropped).toBe(times + 1);
        expect(found?.due).toBeCloseTo(seconds, 0);
      });
    }
    await alone.close();
  });

  test("that the bank declines is tried again a day later, then two, and then ends without it", async () => {
    const paymentId = await authorize();
    for (const hours of [24, 48]) {
      await payments.acquirerWill("cancel", "decline");
      await age(paymentId);
      await eventually(async () => (await dueInHours(paymentId)) === hours);
      expect(await payments.read(paymentId)).toMatchObject({
        result: {
          status: "SUCCESS",
          lastOperation: { type: "EXPIRY", status: "DECLINED", resultCode: "05" },
        },
      });
    }
    await payments.acquirerWill("cancel", "decline");
    await age(paymentId);
    await eventually(async () => (await status(paymentId)) === "CANCELLED");
    expect(await events(paymentId)).toEqual(["SUCCESS", "CANCELLED"]);
    expect(
      await payments.query(
        "select cause from payments.payment_history where payment_id = $1 and to_state = 'CANCELLED'",
        [paymentId],
      ),
    ).toEqual([{ cause: "expiry_declined" }]);
  });

  test("that the bank declines for the third time without saying that nothing was captured does not end", async () => {
    const paymentId = await authorize();
    for (const hours of [24, 48, 96]) {
      await payments.acquirerWill("cancel", "decline");
      await payments.acquirerWill("inquire", "garbage");
      await age(paymentId);
      await eventually(async () => (await dueInHours(paymentId)) === hours);
    }
    expect(await status(paymentId)).toBe("SUCCESS");
    expect(await events(paymentId)).toEqual(["SUCCESS"]);
  });

  test("reads what is due now and no history: neither what was captured, released or reserved nor what is young", async () => {
    const [{ definition } = { definition: "" }] = await payments.query<{ definition: string }>(
      "select pg_get_indexdef('payments.payment_authorization_expiry'::regclass) as definition",
    );
    for (const left of [
      "state = 'SUCCESS'",
      "operation_id IS NULL",
      "reserved_minor = 0",
      "released_minor < amount",
    ])
      expect(definition).toContain(left);
    const client = new Client({ connectionString: payments.database.superuserUrl });
    await client.connect();
    // The table of a test is small enough for any plan.
    await client.query("set enable_seqscan = off; set enable_sort = off");
    const { rows: plan } = await client.query(
      `explain select payment_id from payments.payment
       where state = 'SUCCESS' and transaction_type = 'PRE_AUTHORIZATION' and operation_id is null
         and reserved_minor = 0 and released_minor < amount_minor and authorization_expires_at <= now()
       order by authorization_expires_at limit 64`,
    );
    await client.end();
    expect(JSON.stringify(plan)).toContain("payment_authorization_expiry");
  });
});

describe("the end of an operation", () => {
  const lastOperation = async (paymentId: string) => {
    const reply = await payments.read(paymentId);
    return reply.outcome === "done" ? reply.result.lastOperation : undefined;
  };

  test("that was answered 202 is shown with the payment: pending, then done", async () => {
    const paymentId = await authorize();
    expect(await lastOperation(paymentId)).toBeUndefined();
    await payments.acquirerWill("capture", "hang_before");
    await payments.acquirerWill("inquire", "http_500", 3);
    expect(await capture(paymentId, "60.00")).toMatchObject({
      outcome: "pending",
      result: { status: "SUCCESS", lastOperation: { type: "CAPTURE", status: "PENDING", amount: 60 } },
    });
    await settled(paymentId);
    expect(await lastOperation(paymentId)).toEqual({
      type: "CAPTURE",
      status: "DONE",
      amount: 60,
      resultCode: "00",
      at: expect.stringMatching(/Z$/),
    });
  });

  test("that the bank declined after a 202 is DECLINED, with the bank's code", async () => {
    const paymentId = await authorize();
    await payments.acquirerWill("capture", "hang_before");
    await payments.acquirerWill("capture", "decline");
    expect(await capture(paymentId, "10.00")).toMatchObject({ outcome: "pending" });
    await settled(paymentId);
    expect(await payments.read(paymentId)).toMatchObject({
      result: { status: "SUCCESS", lastOperation: { status: "DECLINED", resultCode: "05", amount: 10 } },
    });
  });

  test("is in the webhook of a cancellation as it is in the payment", async () => {
    const paymentId = await authorize();
    await cancel(paymentId);
    const [event] = await payments.query<{ body: Buffer }>(
      "select body from payments.outbox where payment_id = $1 and status = 'CANCELLED'",
      [paymentId],
    );
    const read = await payments.read(paymentId);
    expect(JSON.parse(event!.body.toString())).toEqual(read.outcome === "done" && read.result);
    expect(read).toMatchObject({ result: { version: 3, lastOperation: { type: "CANCEL", status: "DONE" } } });
  });
});

describe("a request that the bank calls too late", () => {
  test.each([
    ["capture", capture, "CAPTURED"],
    ["cancel", cancel, "CANCELLED"],
  ] as const)("a %s is carried out under its next reference, once", async (operation, operate, end) => {
    const paymentId = await authorize();
    await payments.acquirerWill(operation, "expire", 2);
    expect(await operate(paymentId)).toMatchObject({ outcome: "pending", result: { status: "SUCCESS" } });
    await settled(paymentId);
    expect(await status(paymentId)).toBe(end);
    const lines = (await payments.ledger(paymentId)).slice(1);
    expect(lines.map(({ outcome }) => outcome)).toEqual(["declined", "declined", "approved"]);
    const [first, second, third] = lines.map(({ reference }) => reference);
    expect([second, third]).toEqual([`${first}:2`, `${first}:3`]);
  });

  test("an authorization is FAILED: nothing is reserved, and nothing will be", async () => {
    await payments.acquirerWill("authorize", "expire");
    const command = payments.command();
    expect(await payments.send(command)).toMatchObject({
      outcome: "done",
      result: { status: "FAILED", resultCode: "expired_request" },
    });
  });
});

test("a sale with 3-D Secure can be voided on the business day of its charge, not of its request", async () => {
  const paymentId = await sell();
  const set = (columns: string) =>
    payments.query(`update payments.payment set ${columns} where payment_id = $1`, [paymentId]);
  await set("created_at = now(), recovery_from = now() - interval '25 hours'");
  expect(await cancel(paymentId)).toMatchObject({ code: "invalid_payment_state" });
  await set("created_at = now() - interval '25 hours', recovery_from = now()");
  expect(await cancel(paymentId)).toMatchObject({ outcome: "done", result: { status: "CANCELLED" } });
});
