import {
  amountToJson,
  currencyExponent,
  PAYMENT_SETTLEMENT_MAX,
  type BankLine,
  type CommandReply,
  type PaymentSettlement,
} from "@holdfast/contracts";
import { sql, type Kysely } from "kysely";
import type { SettlementDatabase } from "../database.ts";
import { differencesOf } from "./list-differences.ts";

/**
 * The lines of the banks' files about a payment and its refunds: by the movements that we know, each line by its index.
 */
export async function answerPaymentSettlement(
  db: Kysely<SettlementDatabase>,
  paymentId: string,
): Promise<CommandReply<PaymentSettlement>> {
  const facts = await db
    .selectFrom("fact")
    .select("fact_id")
    .where((where) => where.or([where("fact_id", "=", paymentId), where("parent_id", "=", paymentId)]))
    .orderBy("fact_id")
    .limit(PAYMENT_SETTLEMENT_MAX)
    .execute();
  if (facts.length === 0) return { outcome: "done", result: { lines: [], differences: [], more: false } };
  const ids = facts.map(({ fact_id }) => fact_id);
  const lines = await linesOf(db, ids);
  const differences = await differencesOf(db, ids, PAYMENT_SETTLEMENT_MAX + 1);
  return {
    outcome: "done",
    result: {
      lines: lines.slice(0, PAYMENT_SETTLEMENT_MAX),
      differences: differences.slice(0, PAYMENT_SETTLEMENT_MAX),
      more: Math.max(lines.length, differences.length) > PAYMENT_SETTLEMENT_MAX,
    },
  };
}

/** Lines of files that count. The files are found by their lines, since the planner could otherwise read all files. */
async function linesOf(db: Kysely<SettlementDatabase>, factIds: readonly string[]): Promise<BankLine[]> {
  const rows = await db
    .selectFrom("line")
    .innerJoinLateral(
      (theirs) =>
        theirs
          .selectFrom("import")
          .select(["file_name", "created_at"])
          .whereRef("import_id", "=", "line.import_id")
          .where("state", "=", "TAKEN")
          .limit(1)
          .as("import"),
      (join) => join.onTrue(),
    )
    .select([
      "line.import_id",
      "line.line_no",
      "line.account_id",
      "line.fact_id",
      "line.kind",
      "line.gross_minor",
      "line.fee_minor",
      "line.net_minor",
      "line.currency",
      "line.verdict",
      "import.file_name",
      "import.created_at",
    ])
    // The times as the bank has written them, in no zone.
    .select(sql<string | null>`to_char(line.transacted_at, 'YYYY-MM-DD"T"HH24:MI:SS')`.as("transacted_at"))
    .select(sql<string | null>`line.settles_on::text`.as("settles_on"))
    .where("line.fact_id", "in", [...factIds])
    .orderBy("line.import_id")
    .orderBy("line.line_no")
    .limit(PAYMENT_SETTLEMENT_MAX + 1)
    .execute();
  return rows.map((row) => {
    const amount = (minor: bigint) => amountToJson(minor, currencyExponent(row.currency) ?? 0);
    return {
      importId: row.import_id,
      line: row.line_no,
      fileName: row.file_name,
      accountId: row.account_id,
      takenAt: row.created_at.toISOString(),
      movementId: row.fact_id!,
      kind: row.kind,
      grossAmount: amount(row.gross_minor),
      feeAmount: amount(row.fee_minor),
      netAmount: amount(row.net_minor),
      currency: row.currency,
      ...(row.transacted_at !== null && { transactedAt: row.transacted_at }),
      ...(row.settles_on !== null && { settlesOn: row.settles_on }),
      ...(row.verdict !== null && { verdict: row.verdict }),
    };
  });
}
