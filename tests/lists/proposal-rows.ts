/** Proposals that wait for a second person, written straight into the tables of all services. */
import { randomUUID } from "node:crypto";
import type { ProposalKind } from "@holdfast/contracts";
import { personAs, TEST_ACCOUNT_ID } from "../support/index.ts";
import { insertPayments, insertRefunds } from "./list-rows.ts";

type Query = <Row = Record<string, unknown>>(text: string, values?: unknown[]) => Promise<Row[]>;

const ALICE = personAs("alice");

/** Inserts a proposal by alice of each kind, in order, an hour apart. @returns the ids of their subjects. */
export async function insertProposals(
  query: Query,
  merchantId: string,
): Promise<Record<ProposalKind, string>> {
  const { payment, pending, executing } = await insertUndecided(query, merchantId);
  const chargeback = randomUUID();
  await insertVersion(query, 2, { by: ALICE, hours: 8 });
  await query(
    `insert into payments.merchant_route (merchant_id, version, routes, proposed_by, proposed_at)
     values ($1, 1, '[]', $2, now() - interval '7 hours')`,
    [merchantId, ALICE],
  );
  await query(
    `insert into payments.payment_resolution (payment_id, outcome, evidence, proposed_by, proposed_at)
     values ($1, 'FAILED', 'call 17', $2, now() - interval '6 hours')`,
    [payment, ALICE],
  );
  await query(
    `insert into payments.chargeback (chargeback_id, payment_id, merchant_id, amount_minor, currency, counted_minor,
       excess_minor, proposed_outcome, proposed_by, proposed_at, outcome_reason)
     values ($1, $2, $3, 400, 'TRY', 0, 0, 'WON', $4, now() - interval '5 hours', 'the bank wrote so')`,
    [chargeback, payment, merchantId, ALICE],
  );
  await query(
    `insert into refunds.refund_approval (refund_id, approved_by, request_id, at)
     values ($1, $2, 'a request', now() - interval '4 hours')`,
    [pending, ALICE],
  );
  await query(
    `insert into refunds.refund_resolution (refund_id, outcome, evidence, proposed_by, proposed_at)
     values ($1, 'FAILED', 'call 18', $2, now() - interval '3 hours')`,
    [executing, ALICE],
  );
  return {
    ACCOUNT_CHANGE: TEST_ACCOUNT_ID,
    ROUTES: merchantId,
    PAYMENT_OUTCOME: payment,
    CHARGEBACK_OUTCOME: chargeback,
    REFUND_APPROVAL: pending,
    REFUND_OUTCOME: executing,
    ...(await insertOfBank(query, merchantId)),
  };
}

/**
 * Inserts a payment with an unknown outcome, and two refunds of it: one waits for a decision, and one for the
 * bank.
 */
async function insertUndecided(query: Query, merchantId: string) {
  const rows = { merchantId, order: "waiting" };
  await insertPayments(query, { ...rows, count: 10 });
  await insertRefunds(query, { ...rows, count: 5 });
  const [payment] = await query<{ id: string }>(
    `update payments.payment set recover_at = now() + interval '1 year'
     where merchant_id = $1 and order_id like 'waiting-%' and state = 'AUTHORIZING' returning payment_id as id`,
    [merchantId],
  );
  const refunds = await query<{ id: string; state: string }>(
    `update refunds.refund set payment_id = $2
     where merchant_id = $1 and order_id like 'waiting-%' returning refund_id as id, state`,
    [merchantId, payment!.id],
  );
  const refundIn = (state: string) => refunds.find((refund) => refund.state === state)!.id;
  return {
    payment: payment!.id,
    pending: refundIn("PENDING_APPROVAL"),
    executing: refundIn("EXECUTING"),
  };
}

/** A difference and a file. */
async function insertOfBank(query: Query, merchantId: string) {
  const DIFFERENCE = randomUUID();
  await query(
    `insert into settlement.difference (difference_id, account_id, class, payout_id, amount_minor, currency, detail,
       merchant_id, state, decision, reason, proposed_by, proposed_at)
     values ($1, '${TEST_ACCOUNT_ID}', 'PAYOUT_MISSING', 'a payout', 1200, 'TRY', 'a test', $2, 'PROPOSED', 'ACCEPT_BANK',
       'asked the bank', $3, now() - interval '2 hours')`,
    [DIFFERENCE, merchantId, ALICE],
  );
  return { DIFFERENCE, SETTLEMENT_FILE: await insertFile(query, { senderConfirms: false }) };
}

/** A bank's file that was read, and that nobody has confirmed. @returns its id. */
export async function insertFile(
  query: Query,
  { senderConfirms }: { senderConfirms: boolean },
): Promise<string> {
  const importId = randomUUID();
  await query(
    `insert into settlement.import (import_id, account_id, mapping, file_name, imported_by, sha256, state, sender_confirms,
       created_at)
     values ($1, '${TEST_ACCOUNT_ID}', 'generic', 'bank.csv', $2, sha256('a test'), 'PROPOSED', $3,
       now() - interval '1 hour')`,
    [importId, ALICE, senderConfirms],
  );
  return importId;
}

/** Inserts an unconfirmed proposal for an account that changes nothing. */
export async function insertVersion(
  query: Query,
  version: number,
  { by, hours }: { by: string; hours: number },
): Promise<void> {
  await query(
    `insert into payments.acquirer_account_version (account_id, version, attributes, settings, sealed_secrets, proposed_by,
       proposed_at)
     select account_id, $2::int, attributes, settings, sealed_secrets, $3, now() - $4::int * interval '1 hour'
     from payments.acquirer_account_version where account_id = $1 and version = 1`,
    [TEST_ACCOUNT_ID, version, by, hours],
  );
}
