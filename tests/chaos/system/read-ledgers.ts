import { withClient } from "@holdfast/sandbox/infrastructure";
import {
  emptyLedgers,
  foreignBankLines,
  readBankLines,
  readRows,
  type BankLine,
  type HistoryEntry,
  type Ledgers,
  type Rules,
  type StoredRows,
  type Visit,
} from "../../checker/index.ts";
import { twoApproversAbove } from "./service-process.ts";
import type { System } from "./system.ts";
import { TEST_ACCOUNT_ID } from "../../support/index.ts";
import { deliveryRules } from "./timers.ts";

type ClientSide = { history: readonly HistoryEntry[]; visits: readonly Visit[] };

/** Reads every ledger of a run: the bank's by HTTP, the services' as superuser, the receivers' where they are. */
export async function readLedgers(
  system: System,
  { history, visits }: ClientSide,
  ofRun: Pick<Rules, "disturbances" | "authorizationExpiresAfterMs"> &
    Partial<Pick<Rules, "dispatcherStops">>,
): Promise<Ledgers> {
  const { superuserUrl, acquirerUrl, banks, places, shops, operators } = system;
  const rows = await withClient(superuserUrl, (client) =>
    readRows(async <Row>(text: string) => (await client.query(text)).rows as Row[]),
  );
  const rules = {
    ...deliveryRules,
    twoApproversAbove,
    ...ofRun,
    ...(banks.length > 0 && { places }),
    refusalsAreLines: [TEST_ACCOUNT_ID],
    // Every run has faults, and endpoints without room.
    retriesMayBeLate: true,
    receivers: shops.map(({ merchant, path, secrets }) => ({ ...merchant, path, secrets })),
  };
  return {
    ...emptyLedgers(rules),
    ...rows,
    bank: [
      ...(await readBank(acquirerUrl, TEST_ACCOUNT_ID)),
      ...(await Promise.all(banks.map((bank) => readForeignBank(bank, rows)))).flat(),
    ],
    received: shops
      .flatMap(({ receiver }) => receiver.ledger)
      .toSorted((one, other) => one.arrivedAt - other.arrivedAt),
    history: [...history],
    visits: [...visits],
    operations: [...operators.history.entries],
  };
}

/** The acquirer's whole ledger. */
export async function readBank(acquirerUrl: string, accountId: string): Promise<BankLine[]> {
  return readBankLines(await ledgerText(acquirerUrl), accountId);
}

async function readForeignBank(
  { url, accountId }: System["banks"][number],
  rows: StoredRows,
): Promise<BankLine[]> {
  return foreignBankLines(await ledgerText(url), accountId, rows);
}

async function ledgerText(url: string): Promise<string> {
  const response = await fetch(`${url}/ledger`, { signal: AbortSignal.timeout(30_000) });
  return await response.text();
}

/**
 * Lists everything that is still under way: payments and refunds whose outcome at the bank is unknown,
 * expired open checkouts, unconfirmed events, and waiting webhooks.
 */
export async function readUnsettled(superuserUrl: string): Promise<Record<string, unknown>[]> {
  return await withClient(superuserUrl, async (client) => {
    const found: Record<string, unknown>[] = [];
    for (const text of UNSETTLED) found.push(...(await client.query<Record<string, unknown>>(text)).rows);
    return found;
  });
}

/** Refunds without a decision. */
export async function readUndecided(superuserUrl: string): Promise<Record<string, unknown>[]> {
  const text = "select refund_id, state, created_at from refunds.refund where state = 'PENDING_APPROVAL'";
  return await withClient(
    superuserUrl,
    async (client) => (await client.query<Record<string, unknown>>(text)).rows,
  );
}

/** Authorizations that will expire, unless the bank has declined that. */
export async function readExpiring(superuserUrl: string): Promise<Record<string, unknown>[]> {
  const text = `select payment_id, state, created_at from payments.payment
    where state = 'SUCCESS' and transaction_type = 'PRE_AUTHORIZATION'
      and reserved_minor = 0 and released_minor < amount_minor
      and not exists (select from payments.payment_operation as operation
        where operation.payment_id = payment.payment_id and operation.kind = 'EXPIRY' and operation.state = 'DECLINED')`;
  return await withClient(
    superuserUrl,
    async (client) => (await client.query<Record<string, unknown>>(text)).rows,
  );
}

/** Refunds that operators asked for, which no answer has named to their merchants. */
export async function readRequestedByOperators(
  superuserUrl: string,
): Promise<{ refundId: string; merchantId: string }[]> {
  const text = `select refund_id as "refundId", merchant_id as "merchantId" from refunds.refund
    where requested_by is not null`;
  return await withClient(superuserUrl, async (client) => (await client.query(text)).rows);
}

const PAYMENTS = `
  select payment_id, state, operation_id, recovery_attempts, last_inquiry, recover_at - now() as due, lease_until > now() as leased
  from payments.payment
  where state in ('AUTHORIZING', 'REVERSING', 'ENROLLING', 'ENROLLED', 'CANCELLING') or operation_id is not null
  order by created_at`;

const OPEN_CHECKOUTS_THAT_ARE_OVER = `
  select checkout_id, checkout.state, payment_id, payment.state as payment_state, attempts,
    expires_at - now() as time_left
  from payments.checkout left join payments.payment using (payment_id)
  where checkout.state = 'OPEN' and (expires_at <= now() or exists (
    select from payments.payment_history as step where step.payment_id = checkout.payment_id and to_state = 'SUCCESS'))
  order by checkout.created_at`;

const REFUNDS = `
  select refund_id, state, recovery_attempts, last_inquiry, recover_at - now() as due, lease_until > now() as leased
  from refunds.refund where recover_at is not null order by created_at`;

const UNCONFIRMED = ["payments", "refunds", "settlement"].map(
  (owner) => `
  select event_id, '${owner}' as owner, publish_attempts, publish_at - now() as due
  from ${owner}.outbox where confirmed_at is null order by event_id`,
);

const UNDELIVERED = `
  select event_id, attempt, due_at - now() as due, lease_until > now() as leased from webhooks.delivery order by due_at`;

const UNSETTLED = [PAYMENTS, OPEN_CHECKOUTS_THAT_ARE_OVER, REFUNDS, ...UNCONFIRMED, UNDELIVERED];
