import type { CommandReply, OperatorContext, SettlementImport } from "@holdfast/contracts";
import { sql, type Kysely } from "kysely";
import type { BusinessEvents } from "../business-events.ts";
import type { SettlementDatabase } from "../database.ts";
import { count, endAsRefused, ImportLostError, onlyOnce, type ImportRow } from "../import/import-queries.ts";
import { shownImport } from "./list-imports.ts";

export type ConfirmDeps = {
  db: Kysely<SettlementDatabase>;
  events: Pick<BusinessEvents, "fileTaken" | "fileRefused">;
};

type Problem = Extract<CommandReply<SettlementImport>, { outcome: "problem" }>;

/** Makes the lines of a file count that was looked at: they never change. One that needs two people was sent by another. */
export async function confirmImport(
  { db, events }: ConfirmDeps,
  { operator }: OperatorContext,
  importId: string,
): Promise<CommandReply<SettlementImport>> {
  const row = await findImport(db, importId);
  if (!row) return NOT_FOUND;
  const refused = refusalOf(row, operator);
  if (refused) return refused;
  let taken: ImportRow | undefined;
  const earlier = await onlyOnce(db, row.account_id, row.sha256!, async (trx) => {
    taken = await trx
      .updateTable("import")
      .set({ state: "TAKEN", confirmed_by: operator.person, ended_at: sql<Date>`now()` })
      .where("import_id", "=", importId)
      .where("state", "=", "PROPOSED")
      .returningAll()
      .executeTakeFirst();
    if (taken) await count(trx, taken, operator.name);
  });
  if (earlier)
    return { outcome: "problem", code: "settlement_already_taken", detail: `by import ${earlier}` };
  if (!taken) return NOTHING;
  events.fileTaken(taken, taken);
  return { outcome: "done", result: shownImport(taken) };
}

/** Ends a file that waits for confirmation, whoever has sent it: none of its lines have counted. */
export async function refuseImport(
  { db, events }: ConfirmDeps,
  { operator }: OperatorContext,
  { importId, reason: detail }: { importId: string; reason: string },
): Promise<CommandReply<SettlementImport>> {
  const row = await findImport(db, importId);
  if (!row) return NOT_FOUND;
  if (row.state !== "PROPOSED") return NOTHING;
  try {
    const refused = await endAsRefused(db, row, { reason: "refused", detail, actor: operator.name });
    events.fileRefused(refused, "refused");
    return { outcome: "done", result: shownImport(refused) };
  } catch (error) {
    if (error instanceof ImportLostError) return NOTHING;
    throw error;
  }
}

async function findImport(db: Kysely<SettlementDatabase>, importId: string): Promise<ImportRow | undefined> {
  return await db.selectFrom("import").selectAll().where("import_id", "=", importId).executeTakeFirst();
}

const NOT_FOUND: Problem = { outcome: "problem", code: "settlement_not_found" };
const NOTHING: Problem = { outcome: "problem", code: "nothing_to_confirm" };

function refusalOf(
  { state, imported_by, sender_confirms }: ImportRow,
  { name, person }: OperatorContext["operator"],
): Problem | undefined {
  if (state !== "PROPOSED") return NOTHING;
  if (sender_confirms) return undefined;
  // A file of the command names the person at the keyboard.
  const isSame = imported_by === person || imported_by === `settle (${name})`;
  return isSame ? { outcome: "problem", code: "same_person" } : undefined;
}
