import type { MovementFact } from "@holdfast/contracts";
import { unnested } from "@holdfast/postgres";
import { CompiledQuery, sql, type Kysely } from "kysely";
import type { FactTable, SettlementDatabase } from "../database.ts";

/**
 * Records facts, in one statement. A fact may come any number of times and in any order: the latest version
 * counts. A fact that a bank has reported already is compared again.
 */
export async function recordFacts(
  db: Kysely<SettlementDatabase>,
  facts: readonly MovementFact[],
): Promise<void> {
  if (facts.length === 0) return;
  const given = facts.map(givenFact);
  const values = GIVEN_COLUMNS.map(([column]) => given.map((row) => row[column]));
  await db.executeQuery(CompiledQuery.raw(RECORD_FACTS, values));
  const voided = facts.flatMap(({ voids, parentId }) => (voids && parentId !== undefined ? [parentId] : []));
  if (voided.length > 0) await judgeAgain(db, voided);
}

/** The payments that were voided by refunds are judged again together with these refunds. */
async function judgeAgain(db: Kysely<SettlementDatabase>, paymentIds: readonly string[]): Promise<void> {
  await sql`
    update fact set judge = true
    where fact_id = any(${[...paymentIds]}::uuid[]) and not judge and (reported or verdict is not null)`.execute(
    db,
  );
}

type GivenFact = Omit<FactTable, "occurred_at" | "voids" | "reported" | "judge" | "verdict"> & {
  occurred_at: string;
  voids: boolean;
};

/** Columns of the statement's arrays, in the order of its parameters. */
const GIVEN_COLUMNS = [
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
  ["voids", "boolean"],
  ["commission_minor", "bigint"],
  ["refunds_commission", "boolean"],
] as const satisfies [keyof GivenFact, string][];

const NAMES = GIVEN_COLUMNS.map(([column]) => column).join(", ");

const CHANGING = [
  // A payment that was not sent to one account is sent to the next.
  "account_id",
  "standing",
  "amount_minor",
  "occurred_at",
  "version",
  "external_transaction_id",
  "auth_code",
  "voids",
  "commission_minor",
  "refunds_commission",
] as const satisfies (keyof GivenFact)[];

const RECORD_FACTS = `
  with given as (
    select distinct on (fact_id) * from ${unnested(GIVEN_COLUMNS, 1)} order by fact_id, version desc
  )
  insert into fact (${NAMES}, judge)
  select ${NAMES}, exists (select from line where line.reference_id = given.fact_id and line.fact_id is null)
  from given order by fact_id
  on conflict (fact_id) do update set
    ${CHANGING.map((column) => `${column} = excluded.${column}`).join(", ")},
    judge = fact.reported or fact.verdict is not null or excluded.judge
  where excluded.version > fact.version`;

function givenFact(fact: MovementFact): GivenFact {
  return {
    fact_id: fact.id,
    account_id: fact.accountId,
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
    voids: fact.voids === true,
    commission_minor: fact.commissionMinor === undefined ? null : BigInt(fact.commissionMinor),
    refunds_commission: fact.refundsCommission ?? null,
  };
}
