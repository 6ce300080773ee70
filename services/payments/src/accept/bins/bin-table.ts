/** The data behind a card's first digits (ISO/IEC 7812: the issuer identification number, called BIN in payments). */
export type BinData = {
  cardScheme: string;
  cardType: "CREDIT" | "DEBIT" | "PREPAID";
  cardSubType?: string | undefined;
  issuer?: string | undefined;
  /** ISO 3166-1 alpha-2 of the issuer. */
  country: string;
  loyaltyCode?: string | undefined;
  /** Installments the card's programme allows, from 1 on. */
  installmentsMax: number;
};

/** Cards whose first `digits` digits are between `from` and `to`, both included. */
export type BinRange = { digits: BinDigits; from: number; to: number; data: BinData };
export type BinDigits = 6 | 7 | 8;

/**
 * Ranges of 6 to 8 digits; the one with the most digits counts. It uses sorted arrays of numbers instead of a
 * Map of strings: a million ranges take 12 MB, and equal data is stored once.
 */
export type BinTable = { count: number; byDigits: Record<BinDigits, OrderedRanges> };
type OrderedRanges = { from: Uint32Array; to: Uint32Array; data: BinData[] };

/** @param ranges in any order; ranges with the same number of digits must not overlap. */
export function createBinTable(ranges: readonly BinRange[]): BinTable {
  const known = new Map<string, BinData>();
  const once = (data: BinData) => {
    const text = JSON.stringify(data);
    const same = known.get(text) ?? data;
    known.set(text, same);
    return same;
  };
  const ordered = (digits: BinDigits): OrderedRanges => {
    const those = ranges.filter((range) => range.digits === digits).sort((a, b) => a.from - b.from);
    return {
      from: Uint32Array.from(those, ({ from }) => from),
      to: Uint32Array.from(those, ({ to }) => to),
      data: those.map(({ data }) => once(data)),
    };
  };
  return { count: ranges.length, byDigits: { 6: ordered(6), 7: ordered(7), 8: ordered(8) } };
}

/** @param digits a card number, or its first 6 to 8 digits; further digits are ignored. */
export function findBin({ byDigits }: BinTable, digits: string): BinData | undefined {
  for (const length of MOST_DIGITS_FIRST) {
    if (digits.length < length) continue;
    const { from, to, data } = byDigits[length];
    const wanted = Number(digits.slice(0, length));
    const index = lastAtMost(from, wanted);
    if (index >= 0 && to[index]! >= wanted) return data[index];
  }
  return undefined;
}

/** Tells domestic cards from others by the country of issue. */
export function domIntOf({ country }: Pick<BinData, "country">, homeCountry: string): "DOM" | "INT" {
  return country === homeCountry ? "DOM" : "INT";
}

const MOST_DIGITS_FIRST = [8, 7, 6] as const;

/** Index of the last of the growing `values` that is not above `wanted`, -1 where all are. */
function lastAtMost(values: Uint32Array, wanted: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! <= wanted) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
