import { unnested } from "@holdfast/postgres";
import type { CallOutcome } from "../bank/ledger/bank-call-table.ts";
import { ANSWER_OF_RECORD } from "../bank/ledger/call-statements.ts";
import type { PaymentState } from "./payment.ts";
import type { PaymentRow } from "./payment-record.ts";
import { PAYMENT_COLUMNS } from "./payment-table.ts";

/**
 * The SQL of the money path's writes: a claim (`claim-statements.ts`) and a record for each payment, or one
 * rejection. Each takes one array for each column and handles any number of payments. Claim and record exist
 * with and without the part for Idempotency-Keys, so payments without a key do not pay for it.
 */
export type Statement = { name: string; text: string };

/** One payment to claim: the row, and the key it came with. */
export type ClaimRow = Omit<
  Pick<PaymentRow, (typeof PAYMENT_COLUMNS)[number][0]>,
  "lease_token" | "pan_fingerprint"
> & {
  lease_token: string;
  pan_fingerprint: Buffer;
  /** Fingerprints under the ring's other keys; compared and never written. */
  older_pan_fingerprints: Buffer[];
  older_idempotency_fingerprints: Buffer[];
  idempotency_key: string | null;
  idempotency_scope: string | null;
  idempotency_fingerprint: Buffer | null;
};

/** A claim, and the state in which it leaves the payment: with 3-D Secure the card is enrolled first. */
export type Claim = ClaimRow & { state: "AUTHORIZING" | "ENROLLING" };

/** A claim whose account is not chosen yet. */
export type UnroutedClaim = Omit<ClaimRow, "account_id">;

/** One payment to write down as REJECTED, before anything is claimed for it. */
export type RejectRow = ClaimRow & {
  created_at: Date;
  cause: string;
  result_code: string;
  result_message: string;
  webhook_body: Buffer;
  event_type: string;
};

/** One payment's change from one state to another. */
export type RecordRow = {
  payment_id: string;
  lease_token: string;
  from: PaymentState;
  to: PaymentState;
  /** The version in the new state, one more than in the old one. */
  version: number;
  state_since: Date;
  cause: string;
  external_transaction_id: string | null;
  auth_code: string | null;
  result_code: string;
  result_message: string;
  decline_class: PaymentRow["decline_class"];
  /** The bank's answer about the open call; null if the change is no answer of the bank. */
  call_outcome: CallOutcome | null;
  /** Body of the merchant's webhook and of the answer stored under the key; null when `to` is not final. */
  webhook_body: Buffer | null;
  event_type: string;
  traceparent: string | null;
  /** True if it may have been claimed under an Idempotency-Key. */
  keyed: boolean;
};

const ROW_COLUMNS = [
  ...PAYMENT_COLUMNS,
  ["idempotency_key", "text"],
  ["idempotency_scope", "text"],
  ["idempotency_fingerprint", "bytea"],
] as const satisfies [keyof ClaimRow, string][];

/**
 * Columns of the claim's arrays, in the order of its parameters after `$1` and `$2`: the lease and the time after which an
 * authorization expires, in milliseconds.
 */
export const CLAIM_COLUMNS = [...ROW_COLUMNS, ["state", "text"]] as const satisfies [keyof Claim, string][];

/** Columns of the rejection's arrays, in the order of its parameters after `$1`: see {@link CLAIMED_EVENT}. */
export const REJECT_COLUMNS = [
  ...ROW_COLUMNS,
  ["created_at", "timestamptz"],
  ["cause", "text"],
  ["result_code", "text"],
  ["result_message", "text"],
  ["webhook_body", "bytea"],
  ["event_type", "text"],
] as const satisfies [keyof RejectRow, string][];

/** Columns of the record's arrays, in the order of its parameters after `$1`: see {@link CLAIMED_EVENT}. */
export const RECORD_COLUMNS = [
  ["payment_id", "uuid"],
  ["lease_token", "uuid"],
  ["from", "text"],
  ["to", "text"],
  ["version", "integer"],
  ["state_since", "timestamptz"],
  ["cause", "text"],
  ["external_transaction_id", "text"],
  ["auth_code", "text"],
  ["result_code", "text"],
  ["result_message", "text"],
  ["decline_class", "text"],
  ["call_outcome", "text"],
  ["webhook_body", "bytea"],
  ["event_type", "text"],
  ["traceparent", "text"],
  ["keyed", "boolean"],
] as const satisfies [keyof RecordRow, string][];

/*
 * Copies of one message may be in one batch, so results are matched by the lease, which is each item's own, and never by
 * the payment.
 */

export const COLUMN_NAMES = PAYMENT_COLUMNS.map(([column]) => column).join(", ");

/** The condition of a row whose key, if it has one, was taken in the statement's part `keyed`. */
export const OWNS_ITS_KEY = "where idempotency_key is null or payment_id in (select resource_id from keyed)";

/**
 * The event's columns that let the writer itself publish it, for `$1` milliseconds; without `$1` other relays
 * claim it.
 */
const CLAIMED_EVENT = {
  columns: "publish_attempts, publish_at",
  values: "($1::float8 is not null)::integer, now() + $1 * interval '1 millisecond'",
};

const STORE_ANSWERS = `, answered as (
    update idempotency_key set answer = '{"outcome":"done","result":'::bytea || webhook_body || '}'::bytea
    from changed
    where idempotency_key.resource_id = changed.payment_id
      and idempotency_key.answer is null
      and keyed and webhook_body is not null
  )`;

/**
 * The condition on state, version and lease makes an overtaken process change nothing; version and time are
 * in the webhook's body, too. The given columns are returned together with the changed ones: a further join
 * would compare each row with each (docs/adr/0003).
 */
const record = (keyed: boolean) => `
  with given as (select * from ${unnested(RECORD_COLUMNS, 2)}),
  changed as (
    update payment set
      state = given."to",
      version = given.version,
      state_since = given.state_since,
      external_transaction_id = given.external_transaction_id,
      auth_code = given.auth_code,
      result_code = given.result_code,
      result_message = given.result_message,
      decline_class = given.decline_class,
      lease_token = null,
      lease_until = null,
      recover_at = null,
      updated_at = now()
    from given
    where payment.payment_id = given.payment_id
      and payment.state = given."from"
      and payment.version = given.version - 1
      and payment.lease_token = given.lease_token
    returning payment.payment_id, given.lease_token, payment.merchant_id, payment.version, payment.state as status,
      uuidv7() as event_id,
      given."from", given.cause, given.event_type, given.webhook_body, given.traceparent, given.keyed,
      given.call_outcome, given.external_transaction_id, given.auth_code, given.result_code
  ), ${ANSWER_OF_RECORD}, history as (
    insert into payment_history (payment_id, version, from_state, to_state, cause)
    select payment_id, version, "from", status, cause from changed
  ), event as (
    insert into outbox (event_id, event_type, payment_id, merchant_id, status, body, traceparent, ${CLAIMED_EVENT.columns})
    select event_id, event_type, payment_id, merchant_id, status, webhook_body, traceparent, ${CLAIMED_EVENT.values}
    from changed
    where webhook_body is not null
  )${keyed ? STORE_ANSWERS : ""}
  select lease_token, merchant_id, status, event_id from changed`;

export const RECORD: { plain: Statement; keyed: Statement } = {
  plain: { name: "record-payments", text: record(false) },
  keyed: { name: "record-keyed-payments", text: record(true) },
};

const REJECTED_NAMES = PAYMENT_COLUMNS.map(([column]) => column)
  .filter((column) => column !== "lease_token")
  .join(", ");

/** A rejection is final immediately. Of copies of one message that arrive together the first is written. */
export const REJECT: Statement = {
  name: "reject-payments",
  text: `
  with given as (
    select distinct on (payment_id) * from ${unnested(REJECT_COLUMNS, 2)} order by payment_id, lease_token
  ), keyed as (
    insert into idempotency_key (merchant_id, scope, key, fingerprint, resource_id, answer)
    select merchant_id, idempotency_scope, idempotency_key, idempotency_fingerprint, payment_id,
      '{"outcome":"done","result":'::bytea || webhook_body || '}'::bytea
    from given where idempotency_key is not null
    on conflict (merchant_id, scope, key) do nothing
    returning resource_id
  ), rejected as (
    insert into payment (state, version, created_at, updated_at, state_since, result_code, result_message, ${REJECTED_NAMES})
    select 'REJECTED', 1, created_at, created_at, created_at, result_code, result_message, ${REJECTED_NAMES}
    from given ${OWNS_ITS_KEY}
    on conflict (payment_id) do nothing
    returning payment_id, state as status, uuidv7() as event_id
  ), published as (
    select rejected.*, given.lease_token, given.merchant_id, given.cause, given.event_type, given.webhook_body, given.traceparent
    from rejected join given using (payment_id)
  ), history as (
    insert into payment_history (payment_id, version, from_state, to_state, cause)
    select payment_id, 1, null, status, cause from published
  ), event as (
    insert into outbox (event_id, event_type, payment_id, merchant_id, status, body, traceparent, ${CLAIMED_EVENT.columns})
    select event_id, event_type, payment_id, merchant_id, status, webhook_body, traceparent, ${CLAIMED_EVENT.values}
    from published
  )
  select lease_token, merchant_id, status, event_id from published`,
};
