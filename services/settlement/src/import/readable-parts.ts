import { currencyExponent } from "@holdfast/contracts";
import { isFault, readDate, readText } from "./cells.ts";
import { cellOf, idIn, kindOf, readAmounts, type BankRecord } from "./line-of-record.ts";
import type { RecordsMapping } from "./mapping.ts";
import type { ReadParts } from "./settlement-line.ts";

/** The readable parts of a faulty line, without any I/O: whose money it may be, and how much. */
export function readableParts(mapping: RecordsMapping, record: BankRecord): ReadParts {
  const { file, fields } = mapping;
  const cell = (field: { column: string } | undefined) => (field ? cellOf(record, field.column) : "");
  const currency = "const" in fields.currency ? fields.currency.const : cell(fields.currency);
  const reference = readText(cell(fields.reference));
  const referenceId = typeof reference === "string" ? idIn(reference) : undefined;
  const payoutId = readText(cell(fields.payoutId));
  const [settlesOn, transactedOn] = [
    cell(fields.settlesOn),
    cellOf(record, fields.transactedAt?.columns[0] ?? ""),
  ].map((text) => readDate(text, file.dates));
  const day = isFault(settlesOn) ? transactedOn : settlesOn;
  const kind = kindOf(mapping, record);
  return {
    ...(kind !== undefined && { kind }),
    ...(referenceId !== undefined && { referenceId }),
    ...(typeof payoutId === "string" && { payoutId }),
    ...(typeof day === "string" && { day }),
    ...(currencyExponent(currency) !== undefined && { currency }),
    ...amountIn(mapping, record, currency),
  };
}

function amountIn(
  mapping: RecordsMapping,
  record: BankRecord,
  currency: string,
): Pick<ReadParts, "stakeMinor" | "grossMinor"> {
  const { gross, currency: rule } = mapping.fields;
  const kind = kindOf(mapping, record);
  const fields = { gross, currency: rule };
  const amounts = readAmounts({ ...mapping, fields }, record, { kind: kind ?? "ADJUSTMENT", currency });
  if (typeof amounts === "string") return {};
  const { grossMinor } = amounts;
  const stakeMinor = grossMinor < 0n ? -grossMinor : grossMinor;
  // Without a kind only an amount as the bank has written it has a sign.
  return kind === undefined && gross.sign === "byKind" ? { stakeMinor } : { stakeMinor, grossMinor };
}
