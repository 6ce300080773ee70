import { currencyExponent, parseAmount } from "@holdfast/contracts";
import type { Reader } from "../ui/page-context.ts";
import { readAmount } from "../ui/read-number.ts";

/** An amount that a payment can have, with its currency's code or sign before it or behind it. */
export function amountIn(reader: Reader, text: string): { currency: string; amount: string } | undefined {
  const [, before, number = "", behind] =
    /^([a-z]{3}|[₺€$£])?\s*(\d[\d.,\s'’]*)([a-z]{3}|[₺€$£])?$/i.exec(text) ?? [];
  const name = (before ?? behind)?.toUpperCase() ?? "";
  const currency = SIGNS[name] ?? name;
  const exponent = currencyExponent(currency);
  if (exponent === undefined) return undefined;
  const { value } = readAmount(reader, number, currency);
  if (value === undefined || typeof parseAmount(value, exponent) === "string") return undefined;
  return { currency, amount: value };
}

const SIGNS: Record<string, string> = { "₺": "TRY", "€": "EUR", $: "USD", "£": "GBP" };
