import { purgeIdempotencyKeys } from "@holdfast/idempotency";
import type { RetentionLine } from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import type { GatewayDatabase } from "./database.ts";
import type { KeyTable } from "./operator-keys/operator-key-queries.ts";

/** The retention of each table of the schema `gateway`. */
export const retentionPolicy: RetentionLine<Kysely<GatewayDatabase>>[] = [
  { table: "merchant", kept: "in use", because: "Payments name their merchant as long as they are kept." },
  { table: "credential", kept: "in use", because: "A revocation is final, so that its row stays." },
  { table: "refused_operator", kept: "in use", because: "Operators delete it when they admit the person." },
  {
    table: "log_level",
    kept: "in use",
    because: "A service has one row at most; its next change replaces it.",
  },
  keys("operator_key", "An operator's repetition gets the first answer."),
  keys("staff_key", "The same for merchants' staff."),
  { table: "audit_entry", kept: "in use", because: "A hash chain is kept whole, or it proves nothing." },
];

function keys(table: KeyTable, because: string): RetentionLine<Kysely<GatewayDatabase>> {
  return {
    table,
    kept: { setting: "IDEMPOTENCY_RETENTION" },
    because,
    purge: {
      task: `purge ${table}`,
      intervalMs: 3_600_000,
      round: (db, olderThanMs) => purgeIdempotencyKeys(db, { table, olderThanMs }),
    },
  };
}
