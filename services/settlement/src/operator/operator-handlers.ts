import { readAuditEntriesBefore } from "@holdfast/audit";
import { readSettlementAuditLog } from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import type { Kysely } from "kysely";
import type { SettlementDatabase } from "../database.ts";

export type OperatorDeps = { db: Kysely<SettlementDatabase> };

/** What operators may ask of this service; `serve` has verified who they are and what they may. */
export function operatorHandlers(deps: OperatorDeps) {
  return [
    handler(readSettlementAuditLog, async ({ payload }) => ({
      outcome: "done",
      result: { entries: await readAuditEntriesBefore(deps.db, "settlement", payload) },
    })),
  ];
}
