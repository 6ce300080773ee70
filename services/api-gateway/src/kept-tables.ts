import type { RetentionLine } from "@holdfast/service-runtime";

/** How long each table of the schema `gateway` is kept. */
export const keptTables: RetentionLine[] = [
  { table: "merchant", kept: "in use", because: "Payments name their merchant as long as they are kept." },
  { table: "credential", kept: "in use", because: "A revocation is final, so that its row stays." },
  { table: "refused_operator", kept: "in use", because: "Operators delete it when they admit the person." },
  {
    table: "operator_key",
    kept: { setting: "IDEMPOTENCY_RETENTION" },
    because: "An operator's repetition gets the first answer.",
  },
  { table: "audit_entry", kept: "in use", because: "A hash chain is kept whole, or it proves nothing." },
];
