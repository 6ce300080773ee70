/** iyzico writes amounts, rates and commissions with up to eight decimals. */
const DECIMALS = 8;

/** A decimal number in units of 0.00000001. It is a bigint, so that no amount is ever a float. */
export class Decimal {
  readonly units: bigint;

  private constructor(units: bigint) {
    this.units = units;
  }

  static ofUnits(units: bigint): Decimal {
    return new Decimal(units);
  }

  /** All currencies that iyzico takes have two decimals. */
  static ofMinor(minor: bigint): Decimal {
    return new Decimal(minor * UNITS_PER_MINOR);
  }

  plusUnits(units: bigint): Decimal {
    return new Decimal(this.units + units);
  }

  /** All eight decimals: `10.50000000`. */
  get long(): string {
    const digits = (this.units < 0n ? -this.units : this.units).toString().padStart(DECIMALS + 1, "0");
    return `${this.units < 0n ? "-" : ""}${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`;
  }

  /** The form without zeros at the end, for signatures: `10.5`, `50` (iyzico protocol, signatures in answers). */
  get short(): string {
    return this.long.replace(/\.?0+$/, "");
  }
}

export const UNITS_PER_MINOR = 1_000_000n;

/**
 * Reads the decimal text of an amount (`1249.9`, `1.00000000`) as minor units. @returns undefined if it is not an
 * amount, or is finer than a minor unit.
 */
export function parseMinor(text: string): bigint | undefined {
  const [, whole, fraction = ""] = /^(\d{1,10})(?:\.(\d{1,16}))?$/.exec(text) ?? [];
  if (whole === undefined || !/^\d{0,2}0*$/.test(fraction)) return undefined;
  return BigInt(whole) * 100n + BigInt(fraction.slice(0, 2).padEnd(2, "0"));
}
