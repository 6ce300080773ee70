import { orderIdOf, shortOrderIdOf } from "@holdfast/acquirer";

/** True if a bank's order, or a line of its ledger, names a payment, in any of the forms in which banks have its id. */
export function namesPayment(text: string, paymentId: string): boolean {
  const orderId = orderIdOf(paymentId);
  const short = shortOrderIdOf(orderId);
  return text.replaceAll("-", "").includes(orderId) || (short !== undefined && text.includes(short));
}
