import { currencyExponent, parseAmount, type ReadByPerson } from "@holdfast/contracts";
import { sql, type Selectable, type Transaction } from "kysely";
import type { SettlementDatabase } from "../database.ts";
import type { Decision } from "../import/import-table.ts";
import type { DifferenceClass, DifferenceTable } from "../match/difference-table.ts";
import { notePayouts } from "../payout/judge-payouts.ts";

type Trx = Transaction<SettlementDatabase>;
type Row = Selectable<DifferenceTable>;

/** The amount that counts once the bank's is accepted; null if no statement has any of it. */
export type Accepted = Pick<
  Row,
  "accepted_minor" | "accepted_currency" | "accepted_merchant_id" | "accepted_day"
>;

/** A field of the request that does not fit the difference. */
export type InputFault = { field: string; code: "invalid_value" | "required"; message: string };

/** A person's decision, with the amount that it makes count. */
type Said = { decision: Decision } & Accepted;

const NOTHING: Accepted = {
  accepted_minor: null,
  accepted_currency: null,
  accepted_merchant_id: null,
  accepted_day: null,
};

/**
 * Locks the subject of a difference (the fact, or else the line) before the difference, as the comparison
 * does. Otherwise the two could deadlock.
 */
export async function lockSubject(trx: Trx, differenceId: string): Promise<void> {
  const row = await trx
    .selectFrom("difference")
    .select(["account_id", "fact_id", "payout_id", "currency", "import_id", "line_no"])
    .where("difference_id", "=", differenceId)
    .executeTakeFirst();
  if (!row) return;
  if (row.fact_id !== null) return await lockFact(trx, row.fact_id);
  if (row.payout_id !== null)
    await sql`
      select from payout
      where account_id = ${row.account_id} and payout_id = ${row.payout_id} and currency = ${row.currency}
      for no key update`.execute(trx);
  const { rows } = await sql<{ fact_id: string | null }>`
    select fact_id from line where import_id = ${row.import_id} and line_no = ${row.line_no}`.execute(trx);
  const factId = rows[0]?.fact_id;
  if (factId) await lockFact(trx, factId);
  await sql`
    select from line where import_id = ${row.import_id} and line_no = ${row.line_no} for no key update`.execute(
    trx,
  );
}

async function lockFact(trx: Trx, factId: string): Promise<void> {
  await sql`select from fact where fact_id = ${factId} for no key update`.execute(trx);
}

/** Differences that a decision makes count, or not: their lines count nowhere before it. */
const OF_FACTS_LINES: ReadonlySet<DifferenceClass> = new Set(["AMOUNT_DIFFERS", "STATUS_DIFFERS"]);
/** Differences whose money cannot be somebody else's: the line counts already, or there is no line. */
const NEVER_FOREIGN: ReadonlySet<DifferenceClass> = new Set([
  "FEE_DIFFERS",
  "LATE",
  "MISSING_AT_BANK",
  "PAYOUT_MISSING",
]);

/** @param read the parts of a line that the person has read in the file. */
export async function acceptedBy(
  trx: Trx,
  row: Row,
  { decision, read }: { decision: Decision; read: ReadByPerson },
): Promise<Accepted | InputFault> {
  if (decision === "NOT_OURS" && Object.keys(read).length > 0)
    return invalid("line", "counts only where the bank's amount is accepted");
  if (decision === "NOT_OURS")
    return NEVER_FOREIGN.has(row.class)
      ? invalid(
          "decision",
          `a difference of class ${row.class} is about nothing that could be somebody else's`,
        )
      : NOTHING;
  if (row.import_id !== null) return await acceptedLine(trx, row, read);
  if (Object.keys(read).length > 0) return invalid("line", "the difference is about no single line");
  return OF_FACTS_LINES.has(row.class) ? await acceptedLines(trx, row) : NOTHING;
}

/** All lines that report the fact; a sum where they are in one currency and of one day. */
async function acceptedLines(trx: Trx, { fact_id, class: kind }: Row): Promise<Accepted> {
  const { rows } = await sql<Accepted>`
    select sum(gross_minor)::bigint as accepted_minor, currency as accepted_currency,
      merchant_id as accepted_merchant_id, case when count(distinct ${DAY}) = 1 then min(${DAY})::text end as accepted_day
    from line where fact_id = ${fact_id} and verdict = ${kind}
    group by currency, merchant_id`.execute(trx);
  return rows.length === 1 ? rows[0]! : NOTHING;
}

const DAY = sql`coalesce(settles_on, transacted_at::date)`;

type Parts = {
  isPayout: boolean;
  merchantId: string | null;
  minor: bigint | null;
  currency: string | null;
  day: string | null;
};

async function acceptedLine(trx: Trx, row: Row, read: ReadByPerson): Promise<Accepted | InputFault> {
  const known = await readParts(trx, row);
  const currency = known.currency ?? read.currency ?? null;
  const minor = known.minor ?? minorOf(read, currency);
  const parts = { merchantId: known.merchantId ?? read.merchantId, day: known.day ?? read.day };
  if (typeof minor === "object" && minor !== null) return minor;
  for (const [field, isKnown, isGiven, value] of [
    [
      "merchantId",
      known.isPayout || known.merchantId !== null,
      read.merchantId !== undefined,
      parts.merchantId,
    ],
    ["amount", known.minor !== null, read.amount !== undefined, minor],
    ["currency", known.currency !== null, read.currency !== undefined, currency],
    ["day", known.day !== null, read.day !== undefined, parts.day],
  ] as const) {
    if (isKnown && isGiven) return invalid(`line.${field}`, "the line says it by itself");
    // A payout is nobody's alone.
    if (field === "merchantId" && known.isPayout) continue;
    if (value === undefined || value === null)
      return { ...invalid(`line.${field}`, MISSING), code: "required" };
  }
  if (parts.merchantId && !known.merchantId && !(await isMerchantOf(trx, row.account_id, parts.merchantId)))
    return invalid("line.merchantId", "no payment of this merchant was sent to the account");
  return {
    accepted_minor: minor,
    accepted_currency: currency,
    accepted_merchant_id: parts.merchantId ?? null,
    accepted_day: parts.day!,
  };
}

const MISSING = "is required, because the line does not say it";

function invalid(field: string, message: string): InputFault {
  return { field, code: "invalid_value", message };
}

/** Null if neither the line nor the person says it. */
function minorOf({ amount }: ReadByPerson, currency: string | null): bigint | null | InputFault {
  if (amount === undefined || currency === null) return null;
  const exponent = currencyExponent(currency);
  if (exponent === undefined) return invalid("line.currency", "is no currency that we know");
  const isNegative = amount.startsWith("-");
  const minor = parseAmount(isNegative ? amount.slice(1) : amount, exponent);
  if (typeof minor !== "bigint") return invalid("line.amount", `is not an amount in ${currency}`);
  return isNegative ? -minor : minor;
}

/** The line's parts, or its readable ones. */
async function readParts(trx: Trx, row: Row): Promise<Parts> {
  const { rows } = await sql<Parts>`
    select kind = 'PAYOUT' as "isPayout", merchant_id as "merchantId", gross_minor as minor, currency, ${DAY}::text as day
    from line where import_id = ${row.import_id} and line_no = ${row.line_no}
    union all
    select coalesce(kind = 'PAYOUT', false), ${row.merchant_id}::uuid, gross_minor, currency, day::text
    from line_fault where import_id = ${row.import_id} and line_no = ${row.line_no}`.execute(trx);
  return rows[0]!;
}

async function isMerchantOf(trx: Trx, accountId: string, merchantId: string): Promise<boolean> {
  const { rows } = await sql`
    select from merchant_account where account_id = ${accountId} and merchant_id = ${merchantId}`.execute(
    trx,
  );
  return rows.length > 0;
}

/** True if the second person's decision equals the first one's proposal. */
export function isSame(row: Row, said: Said): boolean {
  return (["decision", ...ACCEPTED] as const).every((part) => row[part] === said[part]);
}

const ACCEPTED = ["accepted_minor", "accepted_currency", "accepted_merchant_id", "accepted_day"] as const;

/** Has the lines count as an adjustment, or not at all. A line that could not be read becomes one as the person has read it. */
export async function applyDecision(trx: Trx, row: Row, said: Said): Promise<void> {
  const { decision, accepted_merchant_id: merchantId, accepted_day: day } = said;
  const decided = sql`decision = ${decision}, decided_in = ${row.difference_id}`;
  if (row.fact_id !== null)
    await sql`
      update line set ${decided}
      where fact_id = ${row.fact_id} and verdict = ${row.class} and ${OF_FACTS_LINES.has(row.class)}`.execute(
      trx,
    );
  else if (row.class !== "UNREADABLE")
    await sql`
      update line set ${decided}, merchant_id = coalesce(merchant_id, ${merchantId}::uuid),
        settles_on = coalesce(settles_on, case when transacted_at is null then ${day}::date end)
      where import_id = ${row.import_id} and line_no = ${row.line_no}`.execute(trx);
  else if (decision === "ACCEPT_BANK")
    await sql`
      insert into line (import_id, line_no, account_id, kind, reference_id, gross_minor, fee_minor, net_minor, currency,
        settles_on, payout_id, merchant_id, verdict, decision, decided_in)
      select import_id, line_no, ${row.account_id}, case when kind = 'PAYOUT' then kind else 'ADJUSTMENT' end, reference_id, ${said.accepted_minor}, 0,
        ${said.accepted_minor}, ${said.accepted_currency}, ${day},
        case when kind = 'PAYOUT' then coalesce(payout_id, import_id || ':' || line_no) else payout_id end, ${merchantId}, 'NOT_COMPARED', ${decision},
        ${row.difference_id}
      from line_fault where import_id = ${row.import_id} and line_no = ${row.line_no}`.execute(trx);
  // A line that counts, or does not, may be a part of a payout.
  const { import_id: importId, line_no: lineNo } = row;
  if (importId !== null && lineNo !== null) await notePayouts(trx, { importId, from: lineNo, to: lineNo });
}
