import { withClient } from "@holdfast/local-infrastructure";
import type {
  BankLine,
  HistoryEntry,
  Ledgers,
  OutboxRow,
  PaymentHistoryRow,
  PaymentRow,
} from "../checker/ledgers.ts";

type Sources = { superuserUrl: string; acquirerUrl: string; history: readonly HistoryEntry[] };

/** Reads every ledger of a run: the bank's by HTTP, the payments service's as superuser. */
export async function readLedgers({ superuserUrl, acquirerUrl, history }: Sources): Promise<Ledgers> {
  const rows = await withClient(superuserUrl, async (client) => ({
    payments: (await client.query<StoredPayment>(PAYMENTS)).rows,
    paymentHistory: (await client.query<PaymentHistoryRow>(PAYMENT_HISTORY)).rows,
    outbox: (await client.query<OutboxRow>(OUTBOX)).rows,
  }));
  return {
    ...rows,
    payments: rows.payments.map((row) => ({
      ...row,
      amountMinor: BigInt(row.amountMinor),
      capturedMinor: BigInt(row.capturedMinor),
    })),
    bank: await readBank(acquirerUrl),
    history: [...history],
  };
}

/** As PostgreSQL's bigint arrives. */
type StoredPayment = Omit<PaymentRow, "amountMinor" | "capturedMinor"> & {
  amountMinor: string;
  capturedMinor: string;
};

/** The bank's whole ledger. */
export async function readBank(acquirerUrl: string): Promise<BankLine[]> {
  const response = await fetch(`${acquirerUrl}/ledger`, { signal: AbortSignal.timeout(10_000) });
  const lines = (await response.text()).split("\n").filter((line) => line !== "");
  return lines.map((line) => {
    const parsed = JSON.parse(line) as Omit<BankLine, "amountMinor"> & { amountMinor: number };
    return { ...parsed, amountMinor: BigInt(parsed.amountMinor) };
  });
}

/** Payments whose outcome at the bank is not known yet, with what was last heard about each. */
export async function readUnsettled(superuserUrl: string): Promise<Record<string, unknown>[]> {
  return await withClient(superuserUrl, async (client) => (await client.query(UNSETTLED)).rows);
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
