import type { BankLine } from "./ledgers.ts";
import type { StoredRows } from "./stored-rows.ts";

/** Runs one statement as a role that may read every schema. */
export type Query = <Row>(text: string) => Promise<Row[]>;

/**
 * Reads the stored rows of the four services. Of the events it reads final states, which every endpoint gets.
 */
export async function readRows(query: Query): Promise<StoredRows> {
  const rows = {
    payments: await query<Stored<"payments">>(PAYMENTS),
    paymentHistory: await query<Stored<"paymentHistory">>(PAYMENT_HISTORY),
    outbox: await query<Stored<"outbox">>(OUTBOX),
    checkouts: await query<Stored<"checkouts">>(CHECKOUTS),
    checkoutPayments: await query<Stored<"checkoutPayments">>(CHECKOUT_PAYMENTS),
    reservations: await query<Stored<"reservations">>(RESERVATIONS),
    chargebacks: await query<Stored<"chargebacks">>(CHARGEBACKS),
    bankCalls: await query<Stored<"bankCalls">>(BANK_CALLS),
    refunds: await query<Stored<"refunds">>(REFUNDS),
    refundHistory: await query<Stored<"refundHistory">>(REFUND_HISTORY),
    approvals: await query<Stored<"approvals">>(APPROVALS),
    acceptedEvents: await readAcceptedEvents(query),
    attempts: await query<Stored<"attempts">>(ATTEMPTS),
    audit: await query<Stored<"audit">>(AUDIT),
    leases: await query<Stored<"leases">>(LEASES),
  };
  const idle = await query<{ name: string }>(IDLE_TRANSACTIONS);
  return {
    ...rows,
    payments: rows.payments.map((row) => ({
      ...row,
      amountMinor: BigInt(row.amountMinor),
      capturedMinor: BigInt(row.capturedMinor),
      releasedMinor: BigInt(row.releasedMinor),
      reservedMinor: BigInt(row.reservedMinor),
      refundedMinor: BigInt(row.refundedMinor),
      chargedBackMinor: BigInt(row.chargedBackMinor),
    })),
    checkouts: rows.checkouts.map((row) => ({ ...row, amountMinor: BigInt(row.amountMinor) })),
    reservations: rows.reservations.map((row) => ({ ...row, amountMinor: BigInt(row.amountMinor) })),
    chargebacks: rows.chargebacks.map((row) => ({
      ...row,
      countedMinor: BigInt(row.countedMinor),
      excessMinor: BigInt(row.excessMinor),
    })),
    refunds: rows.refunds.map((row) => ({ ...row, amountMinor: BigInt(row.amountMinor) })),
    audit: rows.audit.map((row) => ({ ...row, sequence: BigInt(row.sequence) })),
    idleTransactions: idle.map(({ name }) => name),
  };
}

/** Reads the final states alone that the dispatcher has accepted. */
export async function readAcceptedEvents(query: Query): Promise<StoredRows["acceptedEvents"]> {
  return await query<Stored<"acceptedEvents">>(ACCEPTED_EVENTS);
}

/** The ledger of an account's bank from its own text, one JSON line for each entry. */
export function readBankLines(text: string, accountId: string): BankLine[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const { amountMinor, requestedMinor, ...parsed } = JSON.parse(line) as ParsedLine;
      const asked = requestedMinor === undefined ? {} : { requestedMinor: BigInt(requestedMinor) };
      return { ...parsed, accountId, amountMinor: BigInt(amountMinor), ...asked };
    });
}

type ParsedLine = Omit<BankLine, "accountId" | "amountMinor" | "requestedMinor"> & {
  amountMinor: number;
  requestedMinor?: number;
};

/** A row as it arrives: whole numbers of 64 bits are text. */
type Stored<Table extends keyof StoredRows> = StoredRows[Table][number] extends infer Row
  ? { [Column in keyof Row]: Row[Column] extends bigint ? string : Row[Column] }
  : never;

const PAYMENTS = `
  select payment_id as "paymentId", merchant_id as "merchantId", account_id as "accountId", transaction_type as "transactionType", state, version,
    order_id as "orderId", amount_minor::text as "amountMinor", currency, card_sub_type as "cardSubType",
    external_transaction_id as "externalTransactionId", auth_code as "authCode", result_code as "resultCode",
    captured_minor::text as "capturedMinor", released_minor::text as "releasedMinor",
    reserved_minor::text as "reservedMinor", refunded_minor::text as "refundedMinor",
    charged_back_minor::text as "chargedBackMinor",
    (extract(epoch from clock_timestamp() - created_at) * 1000)::float8 as "ageMs", recovery_attempts as attempts,
    operation_id is not null as operated, recover_at is not null as scheduled,
    coalesce(trans_status in ('N', 'U', 'R'), false) as "isUnauthenticated"
  from payments.payment left join payments.three_ds_session using (payment_id) order by payment_id`;

const PAYMENT_HISTORY = `
  select payment_id as "paymentId", version, from_state as "from", to_state as "to", cause,
    xact_id::text as "transactionId"
  from payments.payment_history order by payment_id, version`;

const OUTBOX = (["payments", "refunds"] as const)
  .map(
    (owner) => `
  select '${owner}' as owner, event_id as "eventId", merchant_id as "merchantId", payment_id as "paymentId", status,
    convert_from(body, 'UTF8') as body, xact_id::text as "transactionId",
    (extract(epoch from occurred_at) * 1000)::float8 as "occurredAt", confirmed_at is not null as confirmed
  from ${owner}.outbox where event_type = 'payment.status_changed'`,
  )
  .join(" union all ");

const CHECKOUTS = `
  select checkout_id as "checkoutId", merchant_id as "merchantId", state, transaction_type as "transactionType",
    order_id as "orderId", amount_minor::text as "amountMinor", currency, payment_id as "paymentId", attempts,
    expires_at < clock_timestamp() - interval '5 s' as overdue
  from payments.checkout order by created_at`;

const CHECKOUT_PAYMENTS = `
  select attempt.payment_id as "paymentId", attempt.checkout_id as "checkoutId", attempt.attempt,
    payment.created_at > checkout.expires_at as late
  from payments.checkout_payment as attempt
    join payments.checkout on checkout.checkout_id = attempt.checkout_id
    join payments.payment on payment.payment_id = attempt.payment_id
  order by attempt.checkout_id, attempt.attempt`;

const RESERVATIONS = `
  select refund_id as "refundId", payment_id as "paymentId", amount_minor::text as "amountMinor", state
  from payments.refund_reservation order by refund_id`;

const CHARGEBACKS = `
  select chargeback_id as "chargebackId", payment_id as "paymentId", counted_minor::text as "countedMinor",
    excess_minor::text as "excessMinor"
  from payments.chargeback order by chargeback_id`;

const BANK_CALLS = `
  select payment_id as "paymentId", number, account_id as "accountId", kind, movement_id as "movementId", outcome,
    external_transaction_id as name
  from payments.bank_call order by payment_id, number`;

const REFUNDS = `
  select refund_id as "refundId", payment_id as "paymentId", merchant_id as "merchantId", state, version, kind,
    amount_minor::text as "amountMinor", currency, requested_by as "requestedBy",
    credential_issued_by as "credentialIssuedBy", rejected_by as "rejectedBy",
    recovery_attempts as attempts,
    recover_at is not null as scheduled
  from refunds.refund order by refund_id`;

const REFUND_HISTORY = `
  select refund_id as "refundId", version, from_state as "from", to_state as "to", cause,
    xact_id::text as "transactionId"
  from refunds.refund_history order by refund_id, version`;

const APPROVALS = `
  select refund_id as "refundId", approved_by as "approvedBy", at from refunds.refund_approval order by at`;

const ACCEPTED_EVENTS = `
  select event_id as "eventId", merchant_id as "merchantId", outcome
  from webhooks.event left join webhooks.outcome using (occurred_at, event_id)
  where event_type = 'payment.status_changed' and (endpoint_id is null or endpoint_id = merchant_id) order by event_id`;

const ATTEMPTS = `
  select event_id as "eventId", request_time::text as "requestTime", succeeded from webhooks.attempt order by sent_at`;

const AUDIT = `
  select service, sequence::text as sequence, at, actor, action, subject, detail, hash
  from (${["gateway", "payments", "refunds", "webhooks"]
    .map((service) => `select '${service}' as service, * from ${service}.audit_entry`)
    .join(" union all ")}) as entry
  order by service, entry.sequence`;

const LEASES = [
  ["payments.payment", "payment_id"],
  ["refunds.refund", "refund_id"],
  ["webhooks.delivery", "delivery_id"],
]
  .map(
    ([table, id]) => `
  select '${table}' as "table", ${id} as id, lease_until < clock_timestamp() as expired
  from ${table} where lease_token is not null`,
  )
  .join(" union all ");

/** Longer than a transaction's pause between two of its statements. */
const IDLE_TRANSACTIONS = `
  select application_name as name from pg_stat_activity
  where datname = current_database() and state like 'idle in transaction%'
    and state_change < clock_timestamp() - interval '2 s'`;
