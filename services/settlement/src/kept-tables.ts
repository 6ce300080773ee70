import type { RetentionLine } from "@holdfast/service-runtime";

/** How long each table of the schema `settlement` is kept: the comparison with the bank belongs to the books. */
export const keptTables: RetentionLine[] = [
  { table: "fact", kept: { years: 10 }, because: "It is what the banks' lines are compared with." },
  { table: "account", kept: "in use", because: "It says how a bank settles." },
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
    table: "chargeback_report",
    kept: { with: "line" },
    because: "It recognizes a chargeback that a bank reports again.",
  },
  { table: "audit_entry", kept: "in use", because: "A hash chain is kept whole, or it proves nothing." },
];
