import { purgeIdempotencyKeys } from "@holdfast/idempotency";
import { purgeOutbox } from "@holdfast/outbox";
import type { RetentionLine } from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import type { RefundsDatabase } from "./database.ts";

const HOUR_MS = 3_600_000;

/** The time that each table of the schema `refunds` is kept, and the purges that end it. */
export const retentionPolicy: RetentionLine<Kysely<RefundsDatabase>>[] = [
  { table: "refund", kept: { years: 10 }, because: "The refunds are the books." },
  {
    table: "refund_history",
    kept: { with: "refund" },
    because: "It proves how the refund came to its state.",
  },
  { table: "refund_approval", kept: { with: "refund" }, because: "It proves who decided about the refund." },
  {
    table: "refund_resolution",
    kept: "in use",
    because: "A proposal is deleted when the refund is settled.",
  },
  {
    table: "outbox",
    rows: "that are confirmed",
    kept: { setting: "OUTBOX_RETENTION" },
    because: "As in payments. Rows that are not confirmed stay.",
    purge: {
      task: "purge the outbox",
      intervalMs: HOUR_MS,
      round: (db, olderThanMs) => purgeOutbox(db, { olderThanMs }),
    },
  },
  {
    table: "idempotency_key",
    kept: { setting: "IDEMPOTENCY_RETENTION" },
    because: "A repetition of a request gets its first answer.",
    purge: {
      task: "purge idempotency keys",
      intervalMs: HOUR_MS,
      round: (db, olderThanMs) => purgeIdempotencyKeys(db, { olderThanMs }),
    },
  },
  { table: "audit_entry", kept: "in use", because: "A hash chain is kept whole, or it proves nothing." },
];
