import { sql, type Kysely, type Transaction } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import type { BinDigits, BinRange } from "./bin-table.ts";

/** The import in use. */
export async function latestImport(
  db: Kysely<PaymentsDatabase>,
): Promise<{ version: number; ranges: number } | undefined> {
  return await db
    .selectFrom("bin_import")
    .select(["version", "ranges"])
    .orderBy("version", "desc")
    .limit(1)
    .executeTakeFirst();
}

/** The ranges of one import, a page at a time, so that a process which reads a million can serve payments in between. */
export async function readRanges(db: Kysely<PaymentsDatabase>, version: number): Promise<BinRange[]> {
  const ranges: BinRange[] = [];
  for (;;) {
    const { digits = 0, from = 0 } = ranges.at(-1) ?? {};
    const page = await db
      .selectFrom("bin_range")
      .selectAll()
      .where("version", "=", version)
      .where(sql<boolean>`(digits, bin_from) > (${digits}, ${from})`)
      .orderBy("digits")
      .orderBy("bin_from")
      .limit(PAGE)
      .execute();
    for (const row of page) {
      ranges.push({
        digits: row.digits as BinDigits,
        from: row.bin_from,
        to: row.bin_to,
        data: {
          cardScheme: row.card_scheme,
          cardType: row.card_type,
          cardSubType: row.card_sub_type ?? undefined,
          issuer: row.issuer ?? undefined,
          country: row.country,
          loyaltyCode: row.loyalty_code ?? undefined,
          installmentsMax: row.installments_max,
        },
      });
    }
    if (page.length < PAGE) return ranges;
  }
}

/** Replaces all ranges; concurrent imports wait for each other. @returns the version. */
export async function replaceRanges(
  trx: Transaction<PaymentsDatabase>,
  ranges: readonly BinRange[],
  fileSha256: Buffer,
): Promise<number> {
  await sql`lock table bin_import in share row exclusive mode`.execute(trx);
  await trx.deleteFrom("bin_range").execute();
  const { version } = await trx
    .insertInto("bin_import")
    .values({ ranges: ranges.length, file_sha256: fileSha256 })
    .returning("version")
    .executeTakeFirstOrThrow();
  for (let start = 0; start < ranges.length; start += PAGE) {
    const page = ranges.slice(start, start + PAGE);
    const column = <Value>(of: (range: BinRange) => Value) => page.map(of);
    await sql`
      insert into bin_range (version, digits, bin_from, bin_to, card_scheme, card_type, card_sub_type, issuer, country,
        loyalty_code, installments_max)
      select ${version}, * from unnest(
        ${column(({ digits }) => digits)}::smallint[], ${column(({ from }) => from)}::integer[],
        ${column(({ to }) => to)}::integer[], ${column(({ data }) => data.cardScheme)}::text[],
        ${column(({ data }) => data.cardType)}::text[], ${column(({ data }) => data.cardSubType ?? null)}::text[],
        ${column(({ data }) => data.issuer ?? null)}::text[], ${column(({ data }) => data.country)}::text[],
        ${column(({ data }) => data.loyaltyCode ?? null)}::text[],
        ${column(({ data }) => data.installmentsMax)}::smallint[])`.execute(trx);
  }
  return version;
}

const PAGE = 10_000;
