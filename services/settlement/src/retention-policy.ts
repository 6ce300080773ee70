import { purgeOutbox } from "@holdfast/outbox";
import type { RetentionLine } from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import type { SettlementDatabase } from "./database.ts";

const HOUR_MS = 3_600_000;

/** The retention of each table of the schema `settlement`: the comparison with the bank belongs to the books. */
export const retentionPolicy: RetentionLine<Kysely<SettlementDatabase>>[] = [
  { table: "fact", kept: { years: 10 }, because: "It is what the banks' lines are compared with." },
  { table: "feed", kept: "in use", because: "It says up to where each owner's movements are known." },
  { table: "account", kept: "in use", because: "It says how a bank settles." },
  {
    table: "merchant_account",
    kept: "in use",
    because: "It says whose money a line may be about that cannot be read.",
  },
  {
    table: "import",
    kept: { years: 10 },
    because: "It recognizes a file that is sent again, and says who imported it.",
  },
  {
    table: "upload",
    kept: { with: "import" },
    because: "It is a file that an operator sends, until it is read or given up; then its bytes go.",
  },
  { table: "upload_part", kept: { with: "upload" }, because: "It is a part of the file." },
  { table: "line", kept: { with: "import" }, because: "It is what the bank has reported." },
  { table: "line_fault", kept: { with: "import" }, because: "It says what of the file was not read." },
  { table: "difference", kept: { years: 10 }, because: "It says what the bank reported differently." },
  { table: "difference_note", kept: { with: "difference" }, because: "It says who found out what." },
  {
    table: "payout",
    kept: { with: "line" },
    because: "It says whether the bank has paid what its lines add up to.",
  },
  {
    table: "chargeback_report",
    kept: { with: "line" },
    because: "It recognizes a chargeback that a bank reports again.",
  },
  {
    table: "statement",
    kept: { with: "line" },
    because: "It has the number that the next revision follows.",
  },
  {
    table: "statement_revision",
    kept: { with: "statement" },
    because: "It says what a day came to, as the merchant may have booked it.",
  },
  {
    table: "statement_change",
    kept: "in use",
    because: "It is deleted once somebody has looked at the statement.",
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
  { table: "audit_entry", kept: "in use", because: "A hash chain is kept whole, or it proves nothing." },
];
