import { sql, type RawBuilder, type Transaction } from "kysely";
import type { SettlementDatabase } from "../database.ts";
import { VOIDED_BY_REFUND } from "../facts/voided-by-refund.ts";
import type { AccountPlan, JudgedFact } from "./judge-fact.ts";

/** A fact for the judgement, with the settlement terms of its account. */
export type FactRow = JudgedFact &
  AccountPlan & {
    fact_id: string;
    account_id: string;
    merchant_id: string;
    reported: boolean;
    judge: boolean;
    factVerdict: string | null;
  };

/** Reads facts as they are judged, without a lock. */
export async function readFacts(
  trx: Transaction<SettlementDatabase>,
  ids: readonly string[],
): Promise<FactRow[]> {
  return (await selectFacts(ids, sql``).execute(trx)).rows;
}

/**
 * Locked until the transaction ends, in the order of their ids, in which they are recorded too.
 *
 * @param skipLocked leaves out facts that another process judges now.
 */
export async function lockFacts(
  trx: Transaction<SettlementDatabase>,
  ids: readonly string[],
  { skipLocked = false }: { skipLocked?: boolean } = {},
): Promise<FactRow[]> {
  const lock = sql`for no key update of fact ${skipLocked ? sql`skip locked` : sql``}`;
  return (await selectFacts(ids, lock).execute(trx)).rows;
}

function selectFacts(ids: readonly string[], lock: RawBuilder<unknown>): RawBuilder<FactRow> {
  return sql<FactRow>`
    select fact.fact_id, fact.account_id, fact.merchant_id, fact.kind, fact.amount_minor as "amountMinor",
      fact.currency, ((fact.occurred_at at time zone coalesce(account.time_zone, 'UTC'))::date)::text as day,
      coalesce(account.settlement_days, 400) as "settlementDays", account.fee_basis_points as "feeBasisPoints",
      coalesce(account.fee_fixed_minor, 0) as "feeFixedMinor", coalesce(account.refunds_fee, false) as "refundsFee",
      case when fact.standing = 'DONE' and ${VOIDED_BY_REFUND} then 'VOIDED' else fact.standing end as standing,
      fact.reported, fact.judge, fact.verdict as "factVerdict"
    from fact left join account using (account_id)
    where fact.fact_id = any(${[...ids]}::uuid[])
    order by fact.fact_id ${lock}`;
}
