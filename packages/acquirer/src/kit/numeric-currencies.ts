/** Numeric codes of ISO 4217. All have two decimals: the banks' treatment of a currency without any is not documented. */
const CODES = { TRY: "949", USD: "840", EUR: "978", GBP: "826" } as const;

export const NUMERIC_CURRENCIES: ReadonlyMap<string, string> = new Map(Object.entries(CODES));

/** @returns `TRY` for `949`; undefined for an unknown code. */
export function currencyOfNumber(code: string): string | undefined {
  return Object.entries(CODES).find(([, known]) => known === code)?.[0];
}
