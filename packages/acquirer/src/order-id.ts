/**
 * An acquirer's name of a payment: its id without hyphens, 32 characters that every acquirer takes.
 * @param paymentId a UUID.
 */
export function orderIdOf(paymentId: string): string {
  return paymentId.replaceAll("-", "");
}

/** The payment or refund that an acquirer names by one of our orders or references. */
export type Named = { what: "payment" | "refund"; id: string };

/**
 * Decodes a name that an acquirer gives back: an order, or the reference of a call, which begins with the payment's or
 * the refund's id. Undefined where it is none of ours.
 */
export function namedBy(name: string): Named | undefined {
  if (ORDER.test(name)) return { what: "payment", id: name.replace(ORDER, "$1-$2-$3-$4-$5") };
  const { id, call } = REFERENCE.exec(name)?.groups ?? {};
  return id === undefined ? undefined : { what: call === "refund" ? "refund" : "payment", id };
}

const ORDER = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;
const REFERENCE =
  /^(?<id>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?::(?<call>[a-z]+)[0-9a-z:-]{0,80})?$/;
