import type { AcquirerAmount, CardRequest } from "@holdfast/acquirer";

/** The body of a call that brings a card. */
export function cardBody(request: CardRequest) {
  const { pan, expiryMonth, expiryYear, cvv } = request.card;
  return {
    ...commonBody(request),
    card: { pan, expiryMonth, expiryYear, cvv },
    cardHolderName: request.cardHolderName,
    installmentCount: request.installmentCount,
    loyaltyCode: request.loyaltyCode,
  };
}

/** The common fields of a call, with `expiresAt` where the request has one. */
export function commonBody(request: { reference: string; expiresAt?: Date } & AcquirerAmount) {
  const amountMinor = Number(request.amountMinor);
  if (!Number.isSafeInteger(amountMinor)) throw new RangeError("the amount is too large for a JSON number");
  return {
    reference: request.reference,
    amountMinor,
    currency: request.currency,
    ...(request.expiresAt && { expiresAt: request.expiresAt }),
  };
}
