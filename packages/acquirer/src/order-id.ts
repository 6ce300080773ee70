/**
 * An acquirer's name of a payment: its id without hyphens, 32 characters that every acquirer but one takes.
 * @param paymentId a UUID.
 */
export function orderIdOf(paymentId: string): string {
  return paymentId.replaceAll("-", "");
}

/**
 * The order id in 20 letters and digits, for an acquirer that accepts no more: docs/adr/0069. It follows from
 * the id alone and is read back by {@link namedBy}, so it is stored nowhere.
 * @returns undefined for an id that is no UUIDv7, or from the year 3084 or later: nothing can be sent under
 * it.
 */
export function shortOrderIdOf(orderId: string): string | undefined {
  const [, time, a, b] = UUID_V7.exec(orderId) ?? [];
  if (time === undefined || BigInt(`0x${time}`) >> TIME_BITS > 0n) return undefined;
  const value =
    (BigInt(`0x${time}`) << 74n) | (BigInt(`0x${a}`) << 62n) | (BigInt(`0x${b}`) & (2n ** 62n - 1n));
  return Array.from(
    { length: SHORT_LENGTH },
    (_, place) => DIGITS[Number((value / 62n ** BigInt(place)) % 62n)],
  )
    .toReversed()
    .join("");
}

/** The payment or refund that an acquirer names by one of our orders or references. */
export type Named = { what: "payment" | "refund"; id: string };

/**
 * Decodes a name that an acquirer returns: an order, or the reference of a call, which begins with the
 * payment's or the refund's id. Undefined for a name that is not ours.
 */
export function namedBy(name: string): Named | undefined {
  if (ORDER.test(name)) return { what: "payment", id: hyphenated(name) };
  const short = paymentOfShort(name);
  if (short !== undefined) return { what: "payment", id: short };
  const { id, call } = REFERENCE.exec(name)?.groups ?? {};
  return id === undefined ? undefined : { what: call === "refund" ? "refund" : "payment", id };
}

/** The payment of a short order id, alone or behind the four characters with which a bank fills it up to 24. */
export function paymentOfShort(name: string): string | undefined {
  const digits = SHORT.exec(name)?.[1];
  if (digits === undefined) return undefined;
  const value = Array.from(digits).reduce((sum, digit) => sum * 62n + BigInt(DIGITS.indexOf(digit)), 0n);
  if (value >> (TIME_BITS + 74n) > 0n) return undefined;
  const hex = (of: bigint, bits: bigint) => (of & (2n ** bits - 1n)).toString(16);
  const b = (value & (2n ** 62n - 1n)) | (2n << 62n);
  return hyphenated(
    hex(value >> 74n, TIME_BITS).padStart(12, "0") +
      `7${hex(value >> 62n, 12n).padStart(3, "0")}` +
      hex(b, 64n),
  );
}

const hyphenated = (orderId: string) => orderId.replace(ORDER, "$1-$2-$3-$4-$5");

const ORDER = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;
const REFERENCE =
  /^(?<id>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?::(?<call>[a-z]+)[0-9a-z:-]{0,80})?$/;

/** A UUIDv7 without hyphens: 48 bits of time, the version, 12 random bits, the variant, 62 random bits. */
const UUID_V7 = /^([0-9a-f]{12})7([0-9a-f]{3})([89ab][0-9a-f]{15})$/;
const SHORT = /^(?:[A-Z0-9_]{4})?([0-9A-Za-z]{20})$/;
const SHORT_LENGTH = 20;
/** 45 and 74 random bits fit in 20 of 62 digits: 2^119 < 62^20. */
const TIME_BITS = 45n;
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
