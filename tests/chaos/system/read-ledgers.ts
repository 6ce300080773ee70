import { withClient } from "@holdfast/sandbox/infrastructure";
import type {
  BankLine,
  CheckoutPaymentRow,
  CheckoutRow,
  HistoryEntry,
  Ledgers,
  OutboxRow,
  PaymentHistoryRow,
  PaymentRow,
  Visit,
} from "../../checker/ledgers.ts";

type Sources = {
  superuserUrl: string;
  acquirerUrl: string;
  history: readonly HistoryEntry[];
  visits?: readonly Visit[];
};

/** Reads every ledger of a run: the bank's by HTTP, the payments service's as superuser. */
export async function readLedgers({
  superuserUrl,
  acquirerUrl,
  history,
  visits = [],
}: Sources): Promise<Ledgers> {
  const rows = await withClient(superuserUrl, async (client) => ({
    payments: (await client.query<StoredPayment>(PAYMENTS)).rows,
    paymentHistory: (await client.query<PaymentHistoryRow>(PAYMENT_HISTORY)).rows,
    outbox: (await client.query<OutboxRow>(OUTBOX)).rows,
    checkouts: (await client.query<StoredCheckout>(CHECKOUTS)).rows,
    checkoutPayments: (await client.query<CheckoutPaymentRow>(CHECKOUT_PAYMENTS)).rows,
  }));
  return {
    ...rows,
    payments: rows.payments.map((row) => ({
      ...row,
      amountMinor: BigInt(row.amountMinor),
      capturedMinor: BigInt(row.capturedMinor),
    })),
    checkouts: rows.checkouts.map((row) => ({ ...row, amountMinor: BigInt(row.amountMinor) })),
    bank: await readBank(acquirerUrl),
    history: [...history],
    visits: [...visits],
  };
}

/** As PostgreSQL's bigint arrives. */
type StoredPayment = Omit<PaymentRow, "amountMinor" | "capturedMinor"> & {
  amountMinor: string;
  capturedMinor: string;
};
type StoredCheckout = Omit<CheckoutRow, "amountMinor"> & { amountMinor: string };

/** The bank's whole ledger. */
export async function readBank(acquirerUrl: string): Promise<BankLine[]> {
  const response = await fetch(`${acquirerUrl}/ledger`, { signal: AbortSignal.timeout(10_000) });
  const lines = (await response.text()).split("\n").filter((line) => line !== "");
  return lines.map((line) => {
    const parsed = JSON.parse(line) as Omit<BankLine, "amountMinor"> & { amountMinor: number };
    return { ...parsed, amountMinor: BigInt(parsed.amountMinor) };
  });
}

/**
 * Payments whose outcome at the bank is not known yet, with what was last heard about each, and checkouts that are open
 * although they are over.
 */
export async function readUnsettled(superuserUrl: string): Promise<Record<string, unknown>[]> {
  return await withClient(superuserUrl, async (client) => [
    ...(await client.query<Record<string, unknown>>(UNSETTLED)).rows,
    ...(await client.query<Record<string, unknown>>(OPEN_CHECKOUTS_THAT_ARE_OVER)).rows,
  ]);
}

const PAYMENTS = `
  select payment_id as "paymentId", merchant_id as "merchantId", state, version, order_id as "orderId",
    amount_minor::text as "amountMinor", currency, external_transaction_id as "externalTransactionId",
    auth_code as "authCode", result_code as "resultCode", captured_minor::text as "capturedMinor",
    operation_id is not null as operated, recover_at is not null as scheduled
  from payments.payment order by payment_id`;

const PAYMENT_HISTORY = `
  select payment_id as "paymentId", version, from_state as "from", to_state as "to", cause,
    xact_id::text as "transactionId"
  from payments.payment_history order by payment_id, version`;

const OUTBOX = `
  select event_id as "eventId", payment_id as "paymentId", status, convert_from(body, 'UTF8') as body,
    xact_id::text as "transactionId"
  from payments.outbox order by event_id`;

const UNSETTLED = `
  select payment_id, state, operation_id, recovery_attempts, last_inquiry, recover_at - now() as due, lease_until > now() as leased
  from payments.payment
  where state in ('AUTHORIZING', 'REVERSING', 'ENROLLING', 'ENROLLED', 'CANCELLING') or operation_id is not null
  order by created_at`;

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

const OPEN_CHECKOUTS_THAT_ARE_OVER = `
  select checkout_id, checkout.state, payment_id, payment.state as payment_state, attempts,
    expires_at - now() as time_left
  from payments.checkout left join payments.payment using (payment_id)
  where checkout.state = 'OPEN' and (expires_at <= now() or exists (
    select from payments.payment_history as step where step.payment_id = checkout.payment_id and to_state = 'SUCCESS'))
  order by checkout.created_at`;
