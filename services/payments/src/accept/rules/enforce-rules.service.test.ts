import { randomUUID } from "node:crypto";
import {
  operations,
  type ApiPaymentResponse,
  type CardData,
  type CommandReply,
  type MerchantRules,
  type PreAuthorizePayment,
} from "@holdfast/contracts";
import { createDatabase } from "@holdfast/postgres";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";
import type { PaymentsDatabase } from "../../database.ts";
import { REJECT, REJECT_COLUMNS, type RejectRow } from "../../payment/payment-statements.ts";
import { purgeRuleCounts } from "./rule-queries.ts";
import { TEST_ACCOUNT_ID } from "@holdfast/tests/support";

let payments: PaymentsHarness;
beforeAll(async () => {
  payments = await startPaymentsHarness({ RECOVERY_INTERVAL: "1h" });
  await payments.startAnother();
});
afterAll(() => payments.close());

type Reply = CommandReply<ApiPaymentResponse>;
type Change = Partial<PreAuthorizePayment> & { cardData?: Partial<CardData> };

const OTHER_CARD = { pan: "5555555555554444" };
const DECLINED_CARD = { pan: "4000000000000002" };

/** A merchant with these rules. */
function merchantWith(rules: MerchantRules | undefined) {
  const merchant = { merchantId: randomUUID(), ...(rules && { rules }) };
  const commandOf = (change: Change = {}) => payments.command({ ...change, ofMerchant: merchant.merchantId });
  return {
    merchant,
    commandOf,
    pay: (change?: Change, key?: string): Promise<Reply> =>
      payments.send(
        commandOf(change),
        payments.context({
          merchant,
          ...(key !== undefined && { idempotency: { key, scope: "POST /api/pre-authorization" } }),
        }),
      ),
    /** The merchant's requests that reached the bank. */
    atTheBank: async () => {
      const ids = await payments.query<{ payment_id: string }>(
        "select payment_id from payments.payment where merchant_id = $1",
        [merchant.merchantId],
      );
      const lines = await Promise.all(ids.map(({ payment_id }) => payments.ledger(payment_id)));
      return lines.flat().map(({ operation, outcome }) => `${operation} ${outcome}`);
    },
  };
}

const outcomeOf = (reply: Reply) =>
  reply.outcome === "done"
    ? reply.result.status === "REJECTED"
      ? reply.result.resultCode
      : reply.result.status
    : reply;
const tally = (replies: Reply[]) =>
  Object.fromEntries([...Map.groupBy(replies, outcomeOf)].map(([outcome, those]) => [outcome, those.length]));
const times = <Result>(count: number, work: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

describe("a payment that a rule refuses", () => {
  const rules = { largestAmounts: [{ currency: "TRY", amount: "12.50" }] };

  test("is REJECTED, written once with its history and its event, and the bank has not heard of it", async () => {
    const { pay, commandOf, atTheBank, merchant } = merchantWith(rules);
    const { paymentId } = commandOf();
    const reply = await pay({ paymentId, amountMinor: "1251" });
    const record = {
      paymentId,
      status: "REJECTED",
      amount: 12.51,
      merchantCommission: 0,
      transactionType: "PRE_AUTHORIZATION",
      cardSubType: "CLASSIC",
      resultCode: "rule_largest_amount",
      resultMessage: "Declined by the gateway's risk rules",
    };
    expect(reply).toMatchObject({ outcome: "done", result: record });
    expect(await payments.read(paymentId, merchant.merchantId)).toEqual(reply);
    expect(await atTheBank()).toEqual([]);
    expect(
      await payments.query(
        "select version, from_state, to_state, cause from payments.payment_history where payment_id = $1",
        [paymentId],
      ),
    ).toEqual([{ version: 1, from_state: null, to_state: "REJECTED", cause: "rule_largest_amount" }]);
    const events = await payments.query<{ status: string; body: Buffer }>(
      "select status, body from payments.outbox where payment_id = $1",
      [paymentId],
    );
    expect(events.map(({ status }) => status)).toEqual(["REJECTED"]);
    expect({ outcome: "done", result: JSON.parse(events[0]!.body.toString()) }).toEqual(reply);
    const [row] = await payments.query(
      "select lease_token, recover_at from payments.payment where payment_id = $1",
      [paymentId],
    );
    expect(row).toEqual({ lease_token: null, recover_at: null });
  });

  test("stays refused: nothing can be captured of it", async () => {
    const { pay, commandOf, merchant } = merchantWith(rules);
    const { paymentId } = commandOf();
    await pay({ paymentId, amountMinor: "1251" });
    expect(
      await payments.call(operations.capture.command, { paymentId, operationId: randomUUID() }, { merchant }),
    ).toMatchObject({ code: "invalid_payment_state", extra: { currentStatus: "REJECTED" } });
  });

  test("may be a sale", async () => {
    const { commandOf, merchant, atTheBank } = merchantWith(rules);
    const reply = await payments.call(operations.pay.command, commandOf({ amountMinor: "1251" }), {
      merchant,
    });
    expect(reply).toMatchObject({ result: { status: "REJECTED", transactionType: "PAYMENT" } });
    expect(await atTheBank()).toEqual([]);
  });

  test("is answered again from its Idempotency-Key, and only as the same request", async () => {
    const { pay } = merchantWith(rules);
    const key = randomUUID();
    const first = await pay({ orderId: "order-1", amountMinor: "1251" }, key);
    expect(await pay({ orderId: "order-1", amountMinor: "1251" }, key)).toEqual({ ...first, replayed: true });
    expect(await pay({ orderId: "order-1", amountMinor: "1252" }, key)).toMatchObject({
      code: "idempotency_key_reused",
    });
  });

  test("is one payment, however many copies of its message arrive at once", async () => {
    const { pay, commandOf } = merchantWith(rules);
    const { paymentId } = commandOf();
    const replies = await times(10, () => pay({ paymentId, amountMinor: "1251" }));
    for (const reply of replies) expect(reply).toEqual(replies[0]);
    expect(await eventsOf(paymentId)).toEqual(["REJECTED"]);
  });

  test("is one payment where copies are written in one statement", async () => {
    const pool = new Pool({ connectionString: payments.database.urls.payments.app });
    const rejection = rejectionOf(randomUUID());
    const copies = [rejection, { ...rejection, lease_token: randomUUID() }];
    const values = [null, ...REJECT_COLUMNS.map(([column]) => copies.map((copy) => copy[column]))];
    expect((await pool.query(REJECT.text, values)).rows).toHaveLength(1);
    await pool.end();
    expect(await eventsOf(rejection.payment_id)).toEqual(["REJECTED"]);
  });

  const eventsOf = async (paymentId: string) =>
    (
      await payments.query<{ status: string }>("select status from payments.outbox where payment_id = $1", [
        paymentId,
      ])
    ).map(({ status }) => status);

  const rejectionOf = (paymentId: string): RejectRow => ({
    payment_id: paymentId,
    merchant_id: randomUUID(),
    transaction_type: "PAYMENT",
    lease_token: randomUUID(),
    order_id: "order-1",
    claims_order: true,
    customer_id: null,
    amount_minor: 1251n,
    order_amount_minor: null,
    currency: "TRY",
    currency_exponent: 2,
    installment_count: 1,
    commission_minor: 0n,
    refunds_commission: true,
    request_ip: "203.0.113.7",
    request_port: 443,
    card_holder_name: "Ada Lovelace",
    masked_pan: "411111******1111",
    pan_fingerprint: Buffer.alloc(32),
    pan_fingerprint_key_id: "0",
    older_pan_fingerprints: [],
    older_idempotency_fingerprints: [],
    dom_int: null,
    card_scheme: null,
    card_type: null,
    card_sub_type: null,
    loyalty_code: null,
    traceparent: null,
    credential_issued_by: null,
    account_id: TEST_ACCOUNT_ID,
    idempotency_key: null,
    idempotency_scope: null,
    idempotency_fingerprint: null,
    created_at: new Date(),
    cause: "rule_largest_amount",
    result_code: "rule_largest_amount",
    result_message: "refused",
    webhook_body: Buffer.from("{}"),
    event_type: "payment.status_changed",
  });
});

describe("the largest amount", () => {
  test("itself is allowed, and other currencies have their own", async () => {
    const { pay } = merchantWith({
      largestAmounts: [
        { currency: "TRY", amount: "12.5" },
        { currency: "JPY", amount: "1000" },
      ],
    });
    expect(outcomeOf(await pay({ amountMinor: "1250" }))).toBe("SUCCESS");
    expect(outcomeOf(await pay({ amountMinor: "999999", currency: "EUR" }))).toBe("SUCCESS");
    expect(outcomeOf(await pay({ amountMinor: "1001", currency: "JPY" }))).toBe("rule_largest_amount");
  });
});

describe("attempts per card", () => {
  const rules = { attemptsPerCard: { max: 3, windowSeconds: 600 } };

  test("are exactly as many as allowed, raced over two processes", async () => {
    const { pay, atTheBank } = merchantWith(rules);
    expect(tally(await times(40, () => pay()))).toEqual({ SUCCESS: 3, rule_attempts_per_card: 37 });
    expect(await atTheBank()).toEqual(Array(3).fill("authorize approved"));
  });

  test("are counted for each card and each merchant alone, declines too", async () => {
    const { pay } = merchantWith(rules);
    expect(tally(await times(5, () => pay({ cardData: DECLINED_CARD })))).toEqual({
      FAILED: 3,
      rule_attempts_per_card: 2,
    });
    expect(outcomeOf(await pay({ cardData: OTHER_CARD }))).toBe("SUCCESS");
    expect(outcomeOf(await merchantWith(rules).pay({ cardData: DECLINED_CARD }))).toBe("FAILED");
  });

  test("come back one by one as the window slides on; what was refused does not lengthen it", async () => {
    const { pay, merchant } = merchantWith(rules);
    await times(6, () => pay());
    const age = (seconds: number, first: number) =>
      payments.query(
        `update payments.rule_counter set attempts = array(
           select case when place <= $3 then attempt - $2 * interval '1 second' else attempt end
           from unnest(attempts) with ordinality as each(attempt, place) order by attempt) where merchant_id = $1`,
        [merchant.merchantId, seconds, first],
      );
    await age(500, 3);
    expect(outcomeOf(await pay())).toBe("rule_attempts_per_card");
    await age(110, 2);
    expect(tally(await times(6, () => pay()))).toEqual({ SUCCESS: 2, rule_attempts_per_card: 4 });
  });

  test("follow the rule as it is now", async () => {
    const { pay, merchant, commandOf } = merchantWith(rules);
    await times(3, () => pay());
    const under = (max: number) => {
      const context = payments.context({
        merchant: { ...merchant, rules: { attemptsPerCard: { max, windowSeconds: 600 } } },
      });
      return payments.send(commandOf(), context);
    };
    expect(outcomeOf(await under(2))).toBe("rule_attempts_per_card");
    expect(outcomeOf(await under(4))).toBe("SUCCESS");
    expect(outcomeOf(await under(4))).toBe("rule_attempts_per_card");
  });

  test("are not used up by repetitions under an Idempotency-Key, nor by copies of a message that is known", async () => {
    const { pay, commandOf } = merchantWith({ attemptsPerCard: { max: 2, windowSeconds: 600 } });
    const key = randomUUID();
    const { paymentId } = commandOf();
    const orderId = "order-1";
    const first = await pay({ paymentId, orderId }, key);
    for (let count = 0; count < 3; count++)
      expect(await pay({ orderId }, key)).toEqual({ ...first, replayed: true });
    for (let count = 0; count < 3; count++) expect(outcomeOf(await pay({ paymentId }))).toBe("SUCCESS");
    expect(outcomeOf(await pay())).toBe("SUCCESS");
    expect(outcomeOf(await pay())).toBe("rule_attempts_per_card");
  });
});

describe("attempts per address", () => {
  const rules = { attemptsPerIp: { max: 2, windowSeconds: 600 } };

  test("are exactly as many as allowed, whatever the card, raced over two processes", async () => {
    const { pay, atTheBank } = merchantWith(rules);
    const replies = await times(20, (index) => pay({ ...(index % 2 && { cardData: OTHER_CARD }) }));
    expect(tally(replies)).toEqual({ SUCCESS: 2, rule_attempts_per_ip: 18 });
    expect(await atTheBank()).toHaveLength(2);
    expect(outcomeOf(await pay({ requestIp: "203.0.113.8" }))).toBe("SUCCESS");
  });

  test("are those of the whole network where the address is IPv6", async () => {
    const { pay } = merchantWith(rules);
    const replies = await times(6, (index) => pay({ requestIp: `2001:db8:0:1::${index + 1}` }));
    expect(tally(replies)).toEqual({ SUCCESS: 2, rule_attempts_per_ip: 4 });
    expect(outcomeOf(await pay({ requestIp: "2001:db8:0:2::1" }))).toBe("SUCCESS");
  });

  test("do not use up the card's attempts where they are refused", async () => {
    const { pay } = merchantWith({ ...rules, attemptsPerCard: { max: 3, windowSeconds: 600 } });
    expect(tally(await times(9, () => pay()))).toEqual({ SUCCESS: 2, rule_attempts_per_ip: 7 });
    expect(tally(await times(2, (index) => pay({ requestIp: `198.51.100.${index}` })))).toEqual({
      SUCCESS: 1,
      rule_attempts_per_card: 1,
    });
  });
});

describe("the decline rate", () => {
  const rules = { declineRate: { percent: 50, minimumCount: 4, windowSeconds: 600 } };
  const oneByOne = async (count: number, pay: () => Promise<Reply>) => {
    const replies: Reply[] = [];
    while (replies.length < count) replies.push(await pay());
    return replies;
  };

  test("rejects from the share on, once there are enough answers, and lets go when they are past", async () => {
    const { pay, merchant, atTheBank } = merchantWith(rules);
    await oneByOne(2, () => pay());
    expect(tally(await oneByOne(3, () => pay({ cardData: DECLINED_CARD })))).toEqual({
      FAILED: 2,
      rule_decline_rate: 1,
    });
    expect(outcomeOf(await pay({ cardData: OTHER_CARD }))).toBe("rule_decline_rate");
    expect(await atTheBank()).toHaveLength(4);
    await payments.query(
      "update payments.rule_attempt set attempted_at = attempted_at - interval '601 seconds' where merchant_id = $1",
      [merchant.merchantId],
    );
    expect(outcomeOf(await pay())).toBe("SUCCESS");
  });

  test("below the share lets everything through", async () => {
    const { pay } = merchantWith(rules);
    await oneByOne(4, () => pay());
    expect(tally(await oneByOne(3, () => pay({ cardData: DECLINED_CARD })))).toEqual({ FAILED: 3 });
  });

  test("counts only what the bank has answered, not what it was never asked", async () => {
    const { pay, merchant } = merchantWith(rules);
    await oneByOne(4, () => pay({ cardData: DECLINED_CARD }));
    expect(outcomeOf(await pay())).toBe("rule_decline_rate");
    await payments.query(
      `update payments.payment_history set cause = 'acquirer_unavailable' where cause = 'declined' and payment_id in (
         select payment_id from payments.payment where merchant_id = $1 and state = 'FAILED' limit 1)`,
      [merchant.merchantId],
    );
    expect(outcomeOf(await pay())).toBe("SUCCESS");
  });

  test("is each merchant's own", async () => {
    const { pay } = merchantWith(rules);
    await oneByOne(4, () => pay({ cardData: DECLINED_CARD }));
    expect(outcomeOf(await merchantWith(rules).pay())).toBe("SUCCESS");
  });
});

test("a merchant without rules that count leaves nothing in their tables", async () => {
  const without = merchantWith(undefined);
  const limited = merchantWith({ largestAmounts: [{ currency: "TRY", amount: "100" }] });
  await Promise.all([without.pay(), limited.pay()]);
  const ids = [without.merchant.merchantId, limited.merchant.merchantId];
  expect(
    await payments.query("select from payments.rule_counter where merchant_id = any($1)", [ids]),
  ).toEqual([]);
  expect(
    await payments.query("select from payments.rule_attempt where merchant_id = any($1)", [ids]),
  ).toEqual([]);
});

test("where the rules cannot be asked, nothing is started: a limit that does not answer lets nobody through", async () => {
  const { pay, atTheBank } = merchantWith({ attemptsPerCard: { max: 5, windowSeconds: 600 } });
  await payments.query("revoke insert on payments.rule_counter from payments_app");
  const reply = await pay();
  await payments.query("grant insert on payments.rule_counter to payments_app");
  expect(reply).toEqual({ outcome: "not_started" });
  expect(await atTheBank()).toEqual([]);
  expect(outcomeOf(await pay())).toBe("SUCCESS");
});

test("merchants with and without rules, each with its own, are told apart in one batch", async () => {
  const strict = merchantWith({ attemptsPerCard: { max: 1, windowSeconds: 600 } });
  const lenient = merchantWith({
    attemptsPerCard: { max: 4, windowSeconds: 600 },
    attemptsPerIp: { max: 5, windowSeconds: 60 },
  });
  const free = merchantWith(undefined);
  const [ofStrict, ofLenient, ofFree] = await Promise.all([
    times(8, () => strict.pay()),
    times(8, () => lenient.pay()),
    times(8, () => free.pay()),
  ]);
  expect(tally(ofStrict)).toEqual({ SUCCESS: 1, rule_attempts_per_card: 7 });
  expect(tally(ofLenient)).toMatchObject({ SUCCESS: 4 });
  expect(tally(ofFree)).toEqual({ SUCCESS: 8 });
});

test("what nothing looks back on any more is forgotten, and nothing else", async () => {
  const { pay, merchant } = merchantWith({
    attemptsPerCard: { max: 3, windowSeconds: 600 },
    declineRate: { percent: 50, minimumCount: 4, windowSeconds: 600 },
  });
  await pay();
  await pay({ cardData: OTHER_CARD });
  const id = [merchant.merchantId];
  await payments.query(
    `with one as (select subject from payments.rule_counter where merchant_id = $1 limit 1)
     update payments.rule_counter set expires_at = now() - interval '1 second'
     where merchant_id = $1 and subject in (select subject from one)`,
    id,
  );
  await payments.query(
    `update payments.rule_attempt set attempted_at = now() - interval '25 hours'
     where (merchant_id, attempted_at) in (select merchant_id, min(attempted_at) from payments.rule_attempt where merchant_id = $1 group by 1)`,
    id,
  );
  const pool = new Pool({ connectionString: payments.database.urls.payments.app });
  await purgeRuleCounts(createDatabase<PaymentsDatabase>(pool));
  await pool.end();
  expect(await payments.query("select from payments.rule_counter where merchant_id = $1", id)).toHaveLength(
    1,
  );
  expect(await payments.query("select from payments.rule_attempt where merchant_id = $1", id)).toHaveLength(
    1,
  );
});
