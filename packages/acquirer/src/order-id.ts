/**
 * An acquirer's name of a payment: its id without hyphens, 32 characters that every acquirer takes.
 * @param paymentId a UUID.
 */
export function orderIdOf(paymentId: string): string {
  return paymentId.replaceAll("-", "");
}
