/** ISO 4217's currencies with other than two decimals. `Intl` has the numbers of CLDR, which gives Hungary's forint none. */
const DECIMALS: Record<string, number> = {
  ...Object.fromEntries(
    "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
      .split(" ")
      .map((currency) => [currency, 0]),
  ),
  ...Object.fromEntries("BHD IQD JOD KWD LYD OMR TND".split(" ").map((currency) => [currency, 3])),
};

/** An amount in minor units as decimal text: `1249.90` for 124990 of TRY. */
export function decimalAmount(minor: bigint | number, currency: string): string {
  const digits = DECIMALS[currency] ?? 2;
  const text = String(minor).padStart(digits + 1, "0");
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}
