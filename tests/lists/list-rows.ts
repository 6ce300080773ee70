/** Rows for lists, written straight into the tables: a test of lists needs more than it could pay. */
import { TEST_ACCOUNT_ID } from "../support/index.ts";

type Query = (text: string, values?: unknown[]) => Promise<unknown>;

export type RowsToInsert = {
  merchantId: string;
  count: number;
  /** Begins the order numbers: `order-1`, `order-2`, … */
  order?: string;
  /** The time of the newest row; each other row is a second older than the previous one. */
  newestAt?: Date;
  /** Milliseconds between two rows. */
  apartMs?: number;
};

/**
 * Payments whose columns repeat with periods of their own, so that every filter matches some. Of ten, 6 are
 * SUCCESS, and one each is FAILED, CAPTURED, CANCELLED and AUTHORIZING. Every 7th is in EUR, and every 3rd is
 * a pre-authorization. There are 50 customers, 1 000 endings of card numbers, and 4 BINs.
 */
export async function insertPayments(query: Query, rows: RowsToInsert): Promise<void> {
  await query(INSERT_PAYMENTS, valuesOf(rows));
}

/** Refunds of payments without rows: of five 2 are SUCCESS, one FAILED, one PENDING_APPROVAL, one EXECUTING. */
export async function insertRefunds(query: Query, rows: RowsToInsert): Promise<void> {
  await query(INSERT_REFUNDS, valuesOf(rows));
}

function valuesOf({
  merchantId,
  count,
  order = "order",
  newestAt = new Date(),
  apartMs = 1_000,
}: RowsToInsert) {
  return [merchantId, count, order, newestAt, apartMs];
}

const COLUMNS = `
  $3 || '-' || number as order_id, 'customer-' || number % 50 as customer_id, 1000 + number % 9000 as amount_minor,
  case number % 7 when 0 then 'EUR' else 'TRY' end as currency, 'Ada Lovelace' as card_holder_name,
  (array['411111', '555555', '979200', '400000'])[number % 4 + 1] || '******' || lpad((number % 1000)::text, 4, '0') as masked_pan,
  'ext-' || $3 || '-' || number as external_transaction_id, lpad((number % 100000)::text, 6, '0') as auth_code,
  $4::timestamptz - (number - 1) * $5::float8 * interval '1 millisecond' as created_at`;

const INSERT_PAYMENTS = `
  insert into payments.payment (payment_id, merchant_id, transaction_type, state, version, order_id, customer_id,
    amount_minor, currency, currency_exponent, installment_count, commission_minor, request_ip, request_port,
    card_holder_name, masked_pan, account_id, pan_fingerprint, pan_fingerprint_key_id, refunds_commission, external_transaction_id, auth_code, captured_minor, created_at,
    state_since, recover_at)
  select uuidv7(created_at - now()), $1, case number % 3 when 0 then 'PRE_AUTHORIZATION' else 'PAYMENT' end, state, 2,
    order_id, customer_id, amount_minor, currency, 2, 1, 25, '192.0.2.1', 443, card_holder_name, masked_pan,
    '${TEST_ACCOUNT_ID}', decode(repeat('00', 32), 'hex'), '0', true, external_transaction_id, auth_code,
    case state when 'CAPTURED' then amount_minor else 0 end, created_at, created_at, null
  from (
    select number, ${COLUMNS},
      (array['SUCCESS', 'SUCCESS', 'FAILED', 'SUCCESS', 'CAPTURED', 'SUCCESS', 'CANCELLED', 'SUCCESS', 'AUTHORIZING', 'SUCCESS'])
        [number % 10 + 1] as state
    from generate_series(1, $2::int) as number
  ) as row`;

const INSERT_REFUNDS = `
  insert into refunds.refund (refund_id, payment_id, merchant_id, state, version, amount_minor, currency,
    currency_exponent, kind, order_id, customer_id, installment_count, card_holder_name, masked_pan,
    external_transaction_id, auth_code, account_id, created_at, state_since, recover_at)
  select uuidv7(created_at - now()), uuidv4(), $1, state, 2, amount_minor, currency, 2, 'refund', order_id,
    customer_id, 1, card_holder_name, masked_pan, external_transaction_id, auth_code, uuidv4(), created_at, created_at,
    case state when 'EXECUTING' then now() + interval '1 year' end
  from (
    select number, ${COLUMNS},
      (array['SUCCESS', 'FAILED', 'PENDING_APPROVAL', 'EXECUTING', 'SUCCESS'])[number % 5 + 1] as state
    from generate_series(1, $2::int) as number
  ) as row`;
