import { randomUUID } from "node:crypto";
import { formatAmount } from "@holdfast/contracts";
import { readMappings, SHIPPED_MAPPINGS, type Mapping } from "../src/import/mapping.ts";
import { readSettlementFile } from "../src/import/read-settlement-file.ts";
import type { LineFault, SettlementLine } from "../src/import/settlement-line.ts";

export async function shippedMapping(source: string): Promise<Mapping> {
  return (await readMappings([SHIPPED_MAPPINGS])).get(source)!;
}

export const GENERIC_COLUMNS = [
  "kind",
  "reference",
  "bank_reference",
  "auth_code",
  "card",
  "gross",
  "fee",
  "net",
  "currency",
  "transacted_at",
  "settles_on",
  "payout_id",
] as const;
export type GenericCells = Record<(typeof GENERIC_COLUMNS)[number], string>;

/** A line as a bank writes it into the generic file: the sale of an unknown payment, but for these cells. */
export function genericLine(cells: Partial<GenericCells> = {}): string {
  const { gross = "12.50" } = cells;
  const line: GenericCells = {
    kind: "SALE",
    reference: randomUUID(),
    bank_reference: "",
    auth_code: "",
    card: "",
    gross,
    fee: "0.00",
    net: gross,
    currency: "TRY",
    transacted_at: "2026-03-10T12:00:00",
    settles_on: "2026-03-11",
    payout_id: "",
    ...cells,
  };
  return GENERIC_COLUMNS.map((column) => quoted(line[column])).join(",");
}

export const GENERIC_HEADER = GENERIC_COLUMNS.join(",");

/** A whole file of these lines. */
export function genericFile(...lines: string[]): string {
  return [GENERIC_HEADER, ...lines, ""].join("\r\n");
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Minor units of a currency with two decimals, with a sign. */
export function decimalText(minor: bigint): string {
  return `${minor < 0n ? "-" : ""}${formatAmount(minor < 0n ? -minor : minor, 2)}`;
}

/** Windows-1254, as far as Turkish needs it. */
export function encodeTurkish(text: string): Buffer {
  const codes: Record<string, number> = { Ğ: 0xd0, İ: 0xdd, Ş: 0xde, ğ: 0xf0, ı: 0xfd, ş: 0xfe };
  return Buffer.from(Array.from(text).map((letter) => codes[letter] ?? letter.codePointAt(0)!));
}

export async function* partsOf(content: Uint8Array, size = 50): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

export const BOUNDS = { bytesMax: 10_000_000, faultsMax: 10_000 };

/** Reads a whole file. @throws SettlementFileError */
export async function readWhole(
  mapping: Mapping,
  content: Uint8Array,
  bounds = BOUNDS,
): Promise<{ lines: SettlementLine[]; faults: LineFault[] }> {
  const whole: { lines: SettlementLine[]; faults: LineFault[] } = { lines: [], faults: [] };
  for await (const { lines, faults } of readSettlementFile(mapping, partsOf(content), bounds)) {
    whole.lines.push(...lines);
    whole.faults.push(...faults);
  }
  return whole;
}
