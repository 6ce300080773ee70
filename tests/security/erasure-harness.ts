// Flows that leave a person's data, for `npm run erase` to find.
import { randomUUID } from "node:crypto";
import { EVENT_STREAM, operations, payCheckout, type StatusChangedEvent } from "@holdfast/contracts";
import { withClient } from "@holdfast/sandbox/infrastructure";
import { jetstreamManager } from "@nats-io/jetstream";
import { expect } from "vitest";
import { erase } from "../../tools/installation/src/erasure/erase-command.ts";
import { eventually, startTestSystem, type TestSystem } from "../support/index.ts";
import { plantElsewhere } from "./planted-person.ts";

/** A name with a quote, which has a backslash before it in JSON. */
export const NAME = 'Zekiye "Zeki" Unutulmaz';
/** The text that is searched for: a part of the name and of the id. */
export const WORD = "Unutulmaz";

export type ErasureHarness = Awaited<ReturnType<typeof startErasureHarness>>;

export async function startErasureHarness() {
  const system = await startTestSystem({
    services: ["payments", "refunds", "webhook-dispatcher"],
    // Events that a test has removed at the dispatcher are not sent again meanwhile.
    env: { OUTBOX_RECONCILE_INTERVAL: "1d" },
  });
  return {
    ...system,
    run: (customerId: string, ...more: string[]) => run(system, customerId, ...more),
    /** Checkouts of the customer: one that is paid, and one that the merchant cancels. @returns their ids. */
    checkOut: (customerId: string) => checkOut(system, customerId),
    sell: (of: { paymentId: string; customerId: string }) => sell(system, of),
    /** A sale and its refund, and the remains of other flows. @returns the sale's id. */
    async live(customerId: string): Promise<string> {
      const { paymentId, refundId } = await payAndRefund(system, customerId);
      await plantElsewhere(system, { paymentId, refundId, customerId, name: NAME });
      return paymentId;
    },
    /**
     * Pretends that more than a day has passed since the dispatcher confirmed every event of these services.
     */
    ageEvents: (...owners: Owner[]) =>
      ageEvents(system, owners.length > 0 ? owners : ["payments", "refunds"]),
    columnsWith: (word: string) => columnsWith(system, word),
    moneyOf: (paymentId: string) => moneyOf(system, paymentId),
    inEventStream: (word: string) => inEventStream(system, word),
  };
}

async function run(
  system: TestSystem,
  customerId: string,
  ...more: string[]
): Promise<{ code: number; text: string }> {
  let text = "";
  const args = ["--customer", customerId, "--merchant", system.merchantId, ...more];
  const url = ["--database-url", system.database.superuserUrl];
  const code = await erase([...args, ...url], {}, (written) => void (text += written));
  return { code, text };
}

async function sell(system: TestSystem, of: { paymentId: string; customerId: string }): Promise<void> {
  const reply = await system.call(operations.pay.command, system.command({ ...of, cardHolderName: NAME }), {
    idempotency: { scope: "POST /api/payment", key: randomUUID() },
  });
  expect(reply).toMatchObject({ outcome: "done", result: { status: "SUCCESS" } });
}

async function checkOut(system: TestSystem, customerId: string): Promise<[paid: string, cancelled: string]> {
  const [paid, cancelled] = [randomUUID(), randomUUID()];
  const page = "https://shop.example/";
  const pages = { successUrl: page, failureUrl: page, threeDs: false };
  for (const checkoutId of [paid, cancelled]) {
    const order = { checkoutId, orderId: checkoutId, amountMinor: "1250", currency: "TRY", customerId };
    const opened = await system.call(operations.createCheckout.command, {
      ...order,
      ...pages,
      transactionType: "PAYMENT",
    });
    expect(opened.outcome).toBe("done");
  }
  const { paymentId, card, requestIp, requestPort } = system.command();
  const session = { sessionId: randomUUID(), returnUrl: page, pageUrl: page };
  const form = {
    paymentId,
    card,
    requestIp,
    requestPort,
    session,
    cardHolderName: NAME,
    installmentCount: 1,
  };
  expect(await system.call(payCheckout, { checkoutId: paid, ...form, checkoutUrl: page })).toMatchObject({
    result: { status: "COMPLETED" },
  });
  const cancelling = { checkoutId: cancelled, requestId: randomUUID() };
  expect((await system.call(operations.cancelCheckout.command, cancelling)).outcome).toBe("done");
  await eventually(async () => {
    const { length } = await system.query("select from webhooks.event where payment_id = any($1)", [
      [paid, cancelled],
    ]);
    expect(length).toBe(2);
  });
  return [paid, cancelled];
}

async function payAndRefund(system: TestSystem, customerId: string) {
  const [paymentId, refundId] = [randomUUID(), randomUUID()];
  await sell(system, { paymentId, customerId });
  const asked = await system.call(
    operations.requestRefund.command,
    { refundId, paymentId, amountMinor: "1250", currency: "TRY" },
    { idempotency: { scope: "POST /api/refund", key: randomUUID() } },
  );
  expect(asked.outcome).toBe("done");
  await system.approve(refundId, "osman");
  await eventually(async () => {
    const [refund] = await system.query<{ state: string; reserved: string }>(
      `select refund.state, reserved_minor::text as reserved from refunds.refund join payments.payment using (payment_id)
       where refund_id = $1`,
      [refundId],
    );
    expect(refund).toEqual({ state: "SUCCESS", reserved: "0" });
  });
  return { paymentId, refundId };
}

type Owner = "payments" | "refunds";

async function ageEvents(system: TestSystem, owners: readonly Owner[]): Promise<void> {
  for (const schema of owners) {
    await eventually(async () => {
      expect(
        await system.query(
          `select from ${schema}.outbox where confirmed_at is null and coalesce(publish_at, now()) < 'infinity'`,
        ),
      ).toEqual([]);
    });
    await system.query(
      `update ${schema}.outbox set confirmed_at = now() - interval '26 hours' where confirmed_at is not null`,
    );
  }
}

/** Every column of any table that contains the word, in any case. */
async function columnsWith(system: TestSystem, word: string): Promise<string[]> {
  return await withClient(system.database.superuserUrl, async (client) => {
    const { rows: columns } = await client.query<{
      name: string;
      relation: string;
      column: string;
      type: string;
    }>(`
      select n.nspname || '.' || regexp_replace(c.relname, '_(\\d{8}|default)$', '') || '.' || a.attname as name,
        format('%I.%I', n.nspname, c.relname) as relation, format('%I', a.attname) as column, t.typname as type
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
        join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        join pg_type t on t.oid = a.atttypid
      where c.relkind = 'r' and n.nspname !~ '^(pg_|information_schema)'`);
    // One statement: hundreds would take minutes on a busy machine.
    const searches = columns.map(({ name, relation, column, type }) => {
      const text = type === "bytea" ? `encode(${column}, 'escape')` : `${column}::text`;
      return `select '${name}' as name where exists (select from ${relation} where position(lower($1) in lower(${text})) > 0)`;
    });
    const { rows } = await client.query<{ name: string }>(
      `select distinct name from (${searches.join(" union all ")}) as found`,
      [word],
    );
    return rows.map(({ name }) => name).toSorted();
  });
}

async function moneyOf(system: TestSystem, paymentId: string) {
  return await system.query(
    `select state, version, order_id, amount_minor::text, captured_minor::text, refunded_minor::text, currency,
       commission_minor::text, masked_pan, external_transaction_id, auth_code, created_at, updated_at,
       (select jsonb_agg(step order by version) from payments.payment_history as step where step.payment_id = payment.payment_id) as history,
       (select jsonb_agg(jsonb_build_object('id', refund_id, 'state', refund.state, 'amount', refund.amount_minor))
        from refunds.refund where refund.payment_id = payment.payment_id) as refunds,
       (select jsonb_agg(convert_from(body, 'UTF8')::jsonb - 'cardHolderName' - 'customerId' order by event_id)
        from webhooks.event where event.payment_id = payment.payment_id) as events
     from payments.payment where payment_id = $1`,
    [paymentId],
  );
}

async function inEventStream(system: TestSystem, word: string): Promise<boolean> {
  const { streams } = await jetstreamManager(system.bus.nats, { timeout: 5_000 });
  const { state } = await streams.info(EVENT_STREAM.name);
  for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
    const message = await streams.getMessage(EVENT_STREAM.name, { seq });
    if (!message) continue;
    const content = message.json<StatusChangedEvent | { events: StatusChangedEvent[] }>();
    const events = "events" in content ? content.events : [content];
    if (events.some(({ body }) => Buffer.from(body, "base64").includes(word))) return true;
  }
  return false;
}
