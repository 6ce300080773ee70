import { currencyExponent } from "@holdfast/contracts";
import { z } from "zod";

/** A column of an export: the JSON's name, with dots where the JSON has an object in an object. */
export type RowColumn = { name: string; textOf: (row: Row) => string };

/** An item of a list as its JSON has it. */
export type Row = Record<string, unknown>;

/** The columns of a list's items, in the order of their schema, so that a new field is a new column. */
export function columnsOf(schema: z.ZodType): RowColumn[] {
  return pathsOf(schema).map((path) => ({
    name: path.join("."),
    textOf: (row) => textOf(row, path),
  }));
}

function pathsOf(schema: z.ZodType): string[][] {
  const inner = schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;
  if (!(inner instanceof z.ZodObject)) return [[]];
  return Object.entries(inner.shape).flatMap(([name, field]) =>
    pathsOf(field as z.ZodType).map((path) => [name, ...path]),
  );
}

/**
 * A cell's text: empty for an absent field, an amount with all of its currency's decimals, a list as JSON.
 */
function textOf(row: Row, path: string[]): string {
  let holder: Row = row;
  let { currency } = row;
  for (const name of path.slice(0, -1)) {
    const nested = holder[name];
    if (nested === undefined) return "";
    holder = nested as Row;
    currency = holder["currency"] ?? currency;
  }
  const name = path.at(-1)!;
  const value = holder[name];
  if (value === undefined) return "";
  if (typeof value === "number" && isAmount(name))
    return amountText(value, currencyOf(holder, name) ?? currency);
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isAmount(name: string): boolean {
  return /(?:amount|commission|total)$/i.test(name);
}

/** `approvedCurrency` is the currency of `approvedAmount`. */
function currencyOf(holder: Row, name: string): unknown {
  return name.endsWith("Amount") ? holder[name.replace(/Amount$/, "Currency")] : undefined;
}

/** Exact: an amount has at most 13 significant digits, so the number is the decimal's nearest and reads back as it. */
function amountText(value: number, currency: unknown): string {
  const exponent = typeof currency === "string" ? currencyExponent(currency) : undefined;
  return exponent === undefined ? String(value) : value.toFixed(exponent);
}
