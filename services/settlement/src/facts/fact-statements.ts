import { unnested } from "@holdfast/postgres";
import type { FactTable } from "../database.ts";

/** One fact to record. */
export type GivenFact = Pick<
  FactTable,
  | "fact_id"
  | "account_id"
  | "parent_id"
  | "merchant_id"
  | "kind"
  | "standing"
  | "amount_minor"
  | "currency"
  | "version"
  | "order_id"
  | "masked_pan"
  | "external_transaction_id"
  | "auth_code"
  | "commission_minor"
  | "refunds_commission"
> & { occurred_at: string; ask_in_ms: number | null };

/** Columns of the statement's arrays, in the order of its parameters. */
export const GIVEN_COLUMNS = [
  ["fact_id", "uuid"],
  ["account_id", "text"],
  ["parent_id", "uuid"],
  ["merchant_id", "uuid"],
  ["kind", "text"],
  ["standing", "text"],
  ["amount_minor", "bigint"],
  ["currency", "text"],
  ["occurred_at", "timestamptz"],
  ["version", "int"],
  ["order_id", "text"],
  ["masked_pan", "text"],
  ["external_transaction_id", "text"],
  ["auth_code", "text"],
  ["commission_minor", "bigint"],
  ["refunds_commission", "boolean"],
  ["ask_in_ms", "float8"],
] as const satisfies [keyof GivenFact, string][];

const NAMES = GIVEN_COLUMNS.map(([column]) => column)
  .filter((column) => column !== "account_id" && column !== "ask_in_ms")
  .join(", ");

/**
 * For two facts with one id the later version stands; within one version a known state replaces an open one. A voided
 * sale keeps the time of the sale, by which its lines are dated. A refund has the account of its payment. A fact that a
 * bank has reported already is to be compared.
 */
export const RECORD_FACTS = {
  name: "record-facts",
  text: `
  with given as (
    select distinct on (fact_id) * from ${unnested(GIVEN_COLUMNS, 1)}
    order by fact_id, version desc, standing = 'OPEN', account_id nulls last
  ), placed as (
    select ${NAMES}, ask_in_ms,
      coalesce(account_id, (select account_id from fact as parent where parent.fact_id = given.parent_id)) as account_id
    from given
  )
  insert into fact (${NAMES}, account_id, ask_at, judge)
  select ${NAMES}, account_id,
    case when account_id is null then now() else now() + ask_in_ms * interval '1 millisecond' end,
    exists (select from line where line.reference_id = placed.fact_id and line.fact_id is null)
  from placed
  order by fact_id
  on conflict (fact_id) do update set
    account_id = coalesce(excluded.account_id, fact.account_id),
    standing = excluded.standing,
    amount_minor = excluded.amount_minor,
    occurred_at = case when excluded.standing = 'VOIDED' then fact.occurred_at else excluded.occurred_at end,
    version = excluded.version,
    external_transaction_id = coalesce(excluded.external_transaction_id, fact.external_transaction_id),
    auth_code = coalesce(excluded.auth_code, fact.auth_code),
    commission_minor = coalesce(excluded.commission_minor, fact.commission_minor),
    refunds_commission = coalesce(excluded.refunds_commission, fact.refunds_commission),
    ask_at = case
      when excluded.standing <> 'OPEN' and coalesce(excluded.account_id, fact.account_id) is not null then null
      when fact.ask_at is not null then fact.ask_at
      else excluded.ask_at end,
    -- What was compared is compared again, and so is what a bank has already been found to lack.
    judge = fact.reported or fact.verdict is not null or excluded.judge
  where excluded.version > fact.version
    or (excluded.version = fact.version and fact.standing = 'OPEN' and excluded.standing <> 'OPEN')
    or (excluded.version = fact.version and fact.account_id is null and excluded.account_id is not null)`,
};
