/**
 * Amounts in major units, with any number of decimals (`1249.9`, `1249.90`, `1249.90000000`, `0E-8`). They are read from
 * their source text and never become floats.
 */
export type Decimal = { digits: bigint; scale: number };

/** Every currency that the adapters offer has two decimals (ISO 4217). */
const DECIMALS = 2;

/** The value `digits / 10^scale`, without trailing zeros; undefined for anything that is not a plain decimal number. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = DECIMAL.exec(text);
  if (!match) return undefined;
  const [, sign, whole = "", fraction = "", power = "0"] = match;
  const scale = fraction.length - Number(power);
  const magnitude = BigInt(whole + fraction);
  const digits = sign === "-" ? -magnitude : magnitude;
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : shortest({ digits, scale });
}

/** The lengths keep every number that is computed from it small. */
const DECIMAL = /^(-?)(\d{1,16})(?:\.(\d{1,20}))?(?:[eE]([+-]?\d{1,2}))?$/;

function shortest({ digits, scale }: Decimal): Decimal {
  let shorter = { digits, scale };
  while (shorter.scale > 0 && shorter.digits % 10n === 0n)
    shorter = { digits: shorter.digits / 10n, scale: shorter.scale - 1 };
  return shorter;
}

/** Exact minor units; undefined if the amount is negative or has a part that is smaller than a minor unit. */
export function minorOf({ digits, scale }: Decimal): bigint | undefined {
  return scale > DECIMALS || digits < 0n ? undefined : digits * 10n ** BigInt(DECIMALS - scale);
}

/** Minor units that are written as such, as digits without a separator. */
export function readMinorUnits(text: string): bigint | undefined {
  return /^\d{1,18}$/.test(text) ? BigInt(text) : undefined;
}

/** Minor units, half up, of a fee, which banks compute to many decimals. */
export function roundedMinorOf({ digits, scale }: Decimal): bigint {
  if (scale <= DECIMALS) return digits * 10n ** BigInt(DECIMALS - scale);
  const unit = 10n ** BigInt(scale - DECIMALS);
  return (digits + unit / 2n) / unit;
}

/** The shortest form: without trailing zeros, `10.50` is `10.5` and `50.00` is `50`. */
export function shortestText({ digits, scale }: Decimal): string {
  const sign = digits < 0n ? "-" : "";
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, "0");
  return scale === 0 ? `${sign}${text}` : `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`;
}

/** Minor units as a request writes them: 124990n is `1249.90`. */
export function amountText(amountMinor: bigint): string {
  const text = amountMinor.toString().padStart(DECIMALS + 1, "0");
  return `${text.slice(0, -DECIMALS)}.${text.slice(-DECIMALS)}`;
}
