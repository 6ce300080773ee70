import { PAYMENT_SETTLEMENT_MAX, type BankLine } from "@holdfast/contracts";
import { sql, type Kysely, type RawBuilder } from "kysely";
import { amountIn } from "../amount-in.ts";
import type { SettlementDatabase } from "../database.ts";

/** A line that may be about no movement of ours. */
export type ReadLine = Omit<BankLine, "movementId"> & { movementId?: string };

type Row = {
  import_id: string;
  line_no: number;
  account_id: string;
  fact_id: string | null;
  reference: string | null;
  bank_reference: string | null;
  auth_code: string | null;
  masked_pan: string | null;
  kind: string;
  gross_minor: bigint;
  fee_minor: bigint;
  net_minor: bigint;
  currency: string;
  verdict: string | null;
  transacted_at: string | null;
  settles_on: string | null;
  file_name: string;
  created_at: Date;
};

/**
 * Lines of files that count, one more than an answer has. The files are found by their lines, since the planner could
 * otherwise read all files. Times are as the bank has written them, in no zone.
 *
 * @param these a condition on `line` that an index answers.
 */
export async function readBankLines(
  db: Kysely<SettlementDatabase>,
  these: RawBuilder<unknown>,
): Promise<ReadLine[]> {
  const { rows } = await sql<Row>`
    select line.import_id, line.line_no, line.account_id, line.fact_id, line.reference, line.bank_reference, line.auth_code,
      line.masked_pan, line.kind, line.gross_minor, line.fee_minor, line.net_minor, line.currency, line.verdict,
      to_char(line.transacted_at, 'YYYY-MM-DD"T"HH24:MI:SS') as transacted_at, line.settles_on::text as settles_on,
      file.file_name, file.created_at
    from line cross join lateral (
      select file_name, created_at from import where import.import_id = line.import_id and state = 'TAKEN' limit 1
    ) as file
    where ${these}
    order by line.import_id, line.line_no limit ${PAYMENT_SETTLEMENT_MAX + 1}`.execute(db);
  return rows.map((row) => shown(row));
}

function shown(row: Row): ReadLine {
  return {
    importId: row.import_id,
    line: row.line_no,
    fileName: row.file_name,
    accountId: row.account_id,
    takenAt: row.created_at.toISOString(),
    ...(row.fact_id !== null && { movementId: row.fact_id }),
    ...(row.reference !== null && { reference: row.reference }),
    ...(row.bank_reference !== null && { bankReference: row.bank_reference }),
    ...(row.auth_code !== null && { authCode: row.auth_code }),
    ...(row.masked_pan !== null && { pan: row.masked_pan }),
    kind: row.kind,
    grossAmount: amountIn(row.gross_minor, row.currency),
    feeAmount: amountIn(row.fee_minor, row.currency),
    netAmount: amountIn(row.net_minor, row.currency),
    currency: row.currency,
    ...(row.transacted_at !== null && { transactedAt: row.transacted_at }),
    ...(row.settles_on !== null && { settlesOn: row.settles_on }),
    ...(row.verdict !== null && { verdict: row.verdict }),
  };
}
