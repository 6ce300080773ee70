import { acquireConnection, createNaturalBatcher } from "@holdfast/service-runtime";
import { DatabaseError, type Pool } from "pg";
import { transition, type PaymentState } from "./payment.ts";
import type { PaymentRow } from "./payment-record.ts";

/**
 * The two writes of every payment, each one statement and therefore one transaction: the claim before the acquirer is
 * called, and the record of what it said. Payments that arrive together are written together (natural batching), by
 * named prepared statements over arrays.
 */
export type PaymentWrites = {
  /**
   * Inserts the payment as AUTHORIZING with its first history row and a lease.
   * @returns undefined when the id exists already: the message is a copy.
   */
  claim(claim: PaymentClaim): Promise<ClaimedPayment | undefined>;
  /**
   * Moves the payment on, with history, and with an outbox row where `webhookBody` is given.
   * @returns false when the payment is no longer in that state under that lease: somebody else recovered it.
   */
  record(change: PaymentChange): Promise<boolean>;
};

/** The columns a claim fills; the rest is the database's. */
export type PaymentClaim = Pick<PaymentRow, (typeof CLAIM_COLUMNS)[number][0]>;

/** `created_at` by the database's clock. */
export type ClaimedPayment = { created_at: Date };

export type PaymentChange = {
  payment_id: string;
  lease_token: string;
  from: PaymentState;
  to: PaymentState;
  cause: string;
  external_transaction_id: string | null;
  auth_code: string | null;
  result_code: string;
  result_message: string;
  /** Of the event that tells the merchant; null when `to` is not final. */
  webhook_body: Buffer | null;
  event_type: string;
  traceparent: string | null;
};

export function createPaymentWrites(pool: Pool, { leaseMs }: { leaseMs: number }): PaymentWrites {
  const claims = createNaturalBatcher<PaymentClaim, ClaimedPayment | undefined>({
    ...BATCHES,
    flush: (items) => claimAll(pool, items, leaseMs),
  });
  const changes = createNaturalBatcher<PaymentChange, boolean>({
    ...BATCHES,
    flush: (items) => recordAll(pool, items),
  });
  return {
    claim: (claim) => claims.add(claim),
    record: (change) => {
      transition(change.from, change.to);
      return changes.add(change);
    },
  };
}

const BATCHES = {
  sizeMax: 64,
  /** Two keep the database's log writer busy; more only split the batches. */
  flushesMax: 2,
  /** The server refused the statement, so nothing of it stands: one bad row must not take its neighbours with it. */
  isolates: (error: unknown) => error instanceof DatabaseError,
};

async function claimAll(pool: Pool, items: PaymentClaim[], leaseMs: number) {
  const columns = CLAIM_COLUMNS.map(([column]) => items.map((item) => item[column]));
  const rows = await run<{ payment_id: string; created_at: Date }>(pool, {
    name: "claim-payments",
    text: CLAIM,
    values: [leaseMs, ...columns],
  });
  const claimed = new Map(rows.map((row) => [row.payment_id, { created_at: row.created_at }]));
  return items.map((item) => claimed.get(item.payment_id));
}

async function recordAll(pool: Pool, items: PaymentChange[]): Promise<boolean[]> {
  const columns = CHANGE_COLUMNS.map(([column]) => items.map((item) => item[column]));
  const rows = await run<{ payment_id: string }>(pool, {
    name: "record-payments",
    text: RECORD,
    values: columns,
  });
  const changed = new Set(rows.map((row) => row.payment_id));
  return items.map((item) => changed.has(item.payment_id));
}

async function run<Row>(
  pool: Pool,
  query: { name: string; text: string; values: unknown[] },
): Promise<Row[]> {
  const connection = await acquireConnection(pool);
  let broken: Error | undefined;
  try {
    return (await connection.query(query)).rows as Row[];
  } catch (error) {
    if (!(error instanceof DatabaseError)) broken = error as Error;
    throw error;
  } finally {
    connection.release(broken);
  }
}

const CLAIM_COLUMNS = [
  ["payment_id", "uuid"],
  ["merchant_id", "uuid"],
  ["transaction_type", "text"],
  ["lease_token", "uuid"],
  ["order_id", "text"],
  ["customer_id", "text"],
  ["amount_minor", "bigint"],
  ["currency", "text"],
  ["currency_exponent", "smallint"],
  ["installment_count", "smallint"],
  ["commission_minor", "bigint"],
  ["request_ip", "text"],
  ["request_port", "integer"],
  ["card_holder_name", "text"],
  ["masked_pan", "text"],
  ["pan_fingerprint", "bytea"],
  ["dom_int", "text"],
  ["card_scheme", "text"],
  ["card_type", "text"],
  ["card_sub_type", "text"],
  ["loyalty_code", "text"],
] as const satisfies [keyof PaymentRow, string][];

const CHANGE_COLUMNS = [
  ["payment_id", "uuid"],
  ["lease_token", "uuid"],
  ["from", "text"],
  ["to", "text"],
  ["cause", "text"],
  ["external_transaction_id", "text"],
  ["auth_code", "text"],
  ["result_code", "text"],
  ["result_message", "text"],
  ["webhook_body", "bytea"],
  ["event_type", "text"],
  ["traceparent", "text"],
] as const satisfies [keyof PaymentChange, string][];

/** `$first`, `$first+1`, … as a table with one column for each of `columns`. */
function unnested(columns: readonly (readonly [string, string])[], first: number): string {
  const arrays = columns.map(([, type], index) => `$${first + index}::${type}[]`);
  const names = columns.map(([column]) => `"${column}"`);
  return `unnest(${arrays.join(", ")}) as given(${names.join(", ")})`;
}

const CLAIM_COLUMN_NAMES = CLAIM_COLUMNS.map(([column]) => column).join(", ");

const CLAIM = `
  with claimed as (
    insert into payment (state, version, lease_until, ${CLAIM_COLUMN_NAMES})
    select 'AUTHORIZING', 1, now() + $1 * interval '1 millisecond', ${CLAIM_COLUMN_NAMES}
    from ${unnested(CLAIM_COLUMNS, 2)}
    on conflict (payment_id) do nothing
    returning payment_id, created_at
  ), history as (
    insert into payment_history (payment_id, version, from_state, to_state, cause)
    select payment_id, 1, null, 'AUTHORIZING', 'claimed' from claimed
  )
  select payment_id, created_at from claimed`;

const RECORD = `
  with given as (select * from ${unnested(CHANGE_COLUMNS, 1)}),
  changed as (
    update payment set
      state = given."to",
      version = payment.version + 1,
      external_transaction_id = given.external_transaction_id,
      auth_code = given.auth_code,
      result_code = given.result_code,
      result_message = given.result_message,
      lease_token = null,
      lease_until = null,
      updated_at = now()
    from given
    where payment.payment_id = given.payment_id
      and payment.state = given."from"
      and payment.lease_token = given.lease_token
    returning payment.payment_id, payment.merchant_id, payment.version
  ), history as (
    insert into payment_history (payment_id, version, from_state, to_state, cause)
    select payment_id, version, given."from", given."to", given.cause from changed join given using (payment_id)
  ), event as (
    insert into outbox (event_type, payment_id, merchant_id, status, body, traceparent)
    select given.event_type, payment_id, merchant_id, given."to", given.webhook_body, given.traceparent
    from changed join given using (payment_id)
    where given.webhook_body is not null
  )
  select payment_id from changed`;
