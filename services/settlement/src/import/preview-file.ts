import { createHash, randomUUID } from "node:crypto";
import type { SettlementPreview } from "@holdfast/contracts";
import { CompiledQuery, sql, type Kysely, type Transaction } from "kysely";
import { amountIn } from "../amount-in.ts";
import type { SettlementDatabase } from "../database.ts";
import { previewRanges } from "../match/preview-ranges.ts";
import { findOtherAccount } from "./find-other-account.ts";
import { addBatch, findTaken, type LineWriter } from "./import-queries.ts";
import type { ImportDeps } from "./import-leased-file.ts";
import type { Mapping } from "./mapping.ts";
import { readSettlementFile } from "./read-settlement-file.ts";
import { SettlementFileError, type LineFault } from "./settlement-line.ts";

type Trx = Transaction<SettlementDatabase>;
export type PreviewDeps = Pick<ImportDeps, "db" | "mappings" | "bounds">;
type Previewed = {
  accountId: string;
  mapping: string;
  fileName: string;
  /** @param trx the transaction, so that a preview needs no second connection. */
  open: (trx: Trx) => AsyncIterable<Uint8Array>;
};
type Refusal = NonNullable<SettlementPreview["refusal"]>;

/**
 * Takes a file and compares its lines, by the statements that do so in earnest, in one transaction that is rolled back. It
 * locks no fact, so that nothing waits for it.
 */
export async function previewFile(
  { db, mappings, bounds }: PreviewDeps,
  { accountId, mapping: name, fileName, open }: Previewed,
): Promise<SettlementPreview> {
  const head = { accountId, mapping: name, fileName };
  const trx = await db.startTransaction().execute();
  try {
    const isAccount = await trx
      .selectFrom("account")
      .select("account_id")
      .where("account_id", "=", accountId)
      .executeTakeFirst();
    const mapping = mappings.get(name);
    const unknown = !isAccount
      ? refusal("unknown_account", `there is no account "${accountId}" at a bank`)
      : !mapping && refusal("unknown_mapping", `there is no mapping "${name}"`);
    const leased = { import_id: randomUUID(), lease_token: randomUUID() };
    if (unknown) return { ...head, ...NOTHING, sha256: await hashOf(open(trx)), refusal: unknown };
    await trx
      .insertInto("import")
      .values({
        ...leased,
        account_id: accountId,
        mapping: name,
        file_name: "preview",
        imported_by: "preview",
        state: "READING",
      })
      .execute();
    const read = await readLines(trx, leased, { mapping: mapping!, bounds, open });
    const refused =
      read.refusal ?? (await wouldBeRefused(trx, { ...leased, account_id: accountId }, read.sha256));
    // The lines of a refused file do not count, so they are not compared.
    const compared = refused ? { verdicts: {} } : await previewRanges(trx, leased.import_id);
    return {
      ...head,
      sha256: read.sha256.toString("hex"),
      ...(refused && { refusal: refused }),
      ...(await addUp(trx, leased.import_id)),
      faults: read.faults,
      faultyLines: read.first.map(({ lineNo, reason }) => ({ line: lineNo, reason })),
      ...compared,
    };
  } finally {
    await trx.rollback().execute();
  }
}

const NOTHING = { lines: 0, faults: 0, kinds: [], verdicts: {}, faultyLines: [] };
const refusal = (reason: string, detail: string): Refusal => ({ reason, detail });

async function hashOf(parts: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const part of parts) hash.update(part);
  return hash.digest("hex");
}

type Read = { sha256: Buffer; faults: number; first: LineFault[]; refusal?: Refusal };

async function readLines(
  trx: Trx,
  leased: { import_id: string; lease_token: string },
  { mapping, bounds, open }: { mapping: Mapping } & Pick<PreviewDeps, "bounds"> & Pick<Previewed, "open">,
): Promise<Read> {
  const writer: LineWriter = {
    async query({ text, values }) {
      const { numAffectedRows = 0n } = await trx.executeQuery(CompiledQuery.raw(text, values));
      return { rowCount: Number(numAffectedRows) };
    },
  };
  const hash = createHash("sha256");
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const part of open(trx)) {
      hash.update(part);
      yield part;
    }
  }
  const read: Omit<Read, "sha256"> = { faults: 0, first: [] };
  try {
    for await (const batch of readSettlementFile(mapping, hashed(), bounds)) {
      await addBatch(writer, leased, batch);
      read.faults += batch.faults.length;
      read.first.push(...batch.faults.slice(0, FAULTS_SHOWN - read.first.length));
    }
  } catch (error) {
    if (!(error instanceof SettlementFileError)) throw error;
    read.refusal = refusal(error.code, error.message);
  }
  return { ...read, sha256: hash.digest() };
}

const FAULTS_SHOWN = 100;

async function wouldBeRefused(
  trx: Trx,
  leased: { import_id: string; account_id: string },
  sha256: Buffer,
): Promise<Refusal | undefined> {
  const earlier = await findTaken(trx, leased.account_id, sha256);
  if (earlier) return refusal("already_imported", `by import ${earlier}`);
  const other = await findOtherAccount(trx, leased);
  return other === undefined
    ? undefined
    : refusal("of_another_account", `its lines name payments of the account "${other}"`);
}

type Sum = { kind: string; currency: string; lines: number; gross: bigint; fee: bigint; net: bigint };

/** The number of a file's lines by kind and currency, and their first and last day. */
export async function addUp(
  db: Kysely<SettlementDatabase>,
  importId: string,
): Promise<Pick<SettlementPreview, "lines" | "kinds" | "firstDay" | "lastDay">> {
  const { rows } = await sql<Sum & { first: string | null; last: string | null }>`
    select kind, currency, count(*)::int as lines, sum(gross_minor)::bigint as gross, sum(fee_minor)::bigint as fee,
      sum(net_minor)::bigint as net, min(coalesce(settles_on, transacted_at::date))::text as first,
      max(coalesce(settles_on, transacted_at::date))::text as last
    from line where import_id = ${importId} group by kind, currency order by kind, currency`.execute(db);
  const days = rows
    .flatMap(({ first, last }) => (first !== null && last !== null ? [first, last] : []))
    .toSorted();
  return {
    lines: rows.reduce((count, { lines }) => count + lines, 0),
    ...(days.length > 0 && { firstDay: days[0]!, lastDay: days.at(-1)! }),
    kinds: rows.map(({ kind, currency, lines, gross, fee, net }) => ({
      kind,
      currency,
      lines,
      grossAmount: amountIn(gross, currency),
      feeAmount: amountIn(fee, currency),
      netAmount: amountIn(net, currency),
    })),
  };
}
