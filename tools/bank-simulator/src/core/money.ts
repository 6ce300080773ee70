/** ISO 4217's currencies with other than two decimals. `Intl` has the numbers of CLDR, which gives Hungary's forint none. */
const DECIMALS: Record<string, number> = {
  ...Object.fromEntries(
    "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
      .split(" ")
      .map((currency) => [currency, 0]),
  ),
  ...Object.fromEntries("BHD IQD JOD KWD LYD OMR TND".split(" ").map((currency) => [currency, 3])),
};

/** An amount in minor units as decimal text: `1249.90` for 124990 of TRY. May be negative. */
export function decimalAmount(minor: bigint | number, currency: string, separator = "."): string {
  const digits = DECIMALS[currency] ?? 2;
  const sign = minor < 0 ? "-" : "";
  const text = String(minor)
    .replace("-", "")
    .padStart(digits + 1, "0");
  return digits === 0
    ? `${sign}${text}`
    : `${sign}${text.slice(0, -digits)}${separator}${text.slice(-digits)}`;
}

/** The amount of the fault `partial`: half, rounded down, at least a minor unit. */
export function halfOf(amountMinor: bigint): bigint {
  return amountMinor > 1n ? amountMinor / 2n : 1n;
}

/** Half a minor unit is rounded up. */
export function shareOf(amountMinor: bigint, basisPoints: number): bigint {
  return (amountMinor * BigInt(basisPoints) + 5_000n) / 10_000n;
}

/** A row of a settlement file: a cell that would end or begin another one is quoted as spreadsheets do. */
export function csvRow(cells: readonly string[], separator: "," | ";"): string {
  const quoted = cells.map((cell) =>
    /["\r\n]/.test(cell) || cell.includes(separator) ? `"${cell.replaceAll('"', '""')}"` : cell,
  );
  return `${quoted.join(separator)}\r\n`;
}
