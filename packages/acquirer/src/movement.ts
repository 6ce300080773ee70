/**
 * The n-th reference of one movement of money that is repeated until its outcome is known; the first has no
 * number. The next reference is used after the acquirer has called the previous one too late, so that nothing
 * will ever move under that one.
 */
export function withSubReference(reference: string, sub: number): string {
  return sub === 1 ? reference : `${reference}:${sub}`;
}

/**
 * Our first reference of a refund, one form for the service that sends it to the bank and the one that shows
 * it to operators.
 * @param refundId a UUID, with which the reference begins.
 */
export function refundReference(refundId: string): string {
  return `${refundId}:refund`;
}
