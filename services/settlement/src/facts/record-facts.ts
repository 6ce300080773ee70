import { isLive, type MovementFact } from "@holdfast/contracts";
import type { Pool } from "pg";
import { GIVEN_COLUMNS, RECORD_FACTS, type GivenFact } from "./fact-statements.ts";

/**
 * Records facts, in one statement and so in one transaction. It may see each fact any number of times and in any order.
 * A payment of test mode moved no money and is no fact.
 *
 * @param askFirstMs when an owner is first asked about an authorization. About a refund it is asked immediately.
 */
export async function recordFacts(
  pool: Pick<Pool, "query">,
  facts: readonly MovementFact[],
  { askFirstMs }: { askFirstMs: number },
): Promise<void> {
  const given = facts
    .filter(({ merchantId }) => isLive(merchantId))
    .map((fact) => givenFact(fact, askFirstMs));
  if (given.length === 0) return;
  const values = GIVEN_COLUMNS.map(([column]) => given.map((row) => row[column]));
  await pool.query({ ...RECORD_FACTS, values });
}

function givenFact(fact: MovementFact, askFirstMs: number): GivenFact {
  return {
    fact_id: fact.id,
    account_id: fact.accountId ?? null,
    parent_id: fact.parentId ?? null,
    merchant_id: fact.merchantId,
    kind: fact.kind,
    standing: fact.standing,
    amount_minor: BigInt(fact.amountMinor),
    currency: fact.currency,
    occurred_at: fact.occurredAt,
    version: fact.version,
    order_id: fact.orderId,
    masked_pan: fact.maskedPan,
    external_transaction_id: fact.externalTransactionId ?? null,
    auth_code: fact.authCode ?? null,
    commission_minor: fact.commissionMinor === undefined ? null : BigInt(fact.commissionMinor),
    refunds_commission: fact.refundsCommission ?? null,
    ask_in_ms: fact.standing !== "OPEN" ? null : fact.kind === "REFUND" ? 0 : askFirstMs,
  };
}
