import { randomUUID, randomUUIDv7 } from "node:crypto";

import {
  orderIdOf,
  type AcquirerCard,
  type CardRequest,
  type EnrolmentRequest,
  type FollowUpRequest,
  type InquiryRequest,
  type ReversalRequest,
} from "@holdfast/acquirer";

export const BUSINESS_DAY = { timeZone: "Europe/Istanbul", cutOff: "23:00" };

/** A test card, with a security code that is in no other number of the tests. */
export const CARD: AcquirerCard = {
  pan: "5528790000000008",
  expiryMonth: "12",
  expiryYear: "2030",
  cvv: "739",
};

/** A deadline that any honest answer meets. */
export const soon = () => new Date(Date.now() + 60_000);

export function cardRequest(more: Partial<CardRequest> = {}): CardRequest {
  const reference = randomUUIDv7();
  return {
    reference,
    orderId: orderIdOf(reference),
    amountMinor: 10_000n,
    currency: "TRY",
    card: CARD,
    cardHolderName: "Ada King Lovelace",
    installmentCount: 1,
    expiresAt: soon(),
    ...more,
  };
}

export function enrolmentRequest(more: Partial<EnrolmentRequest> = {}): EnrolmentRequest {
  return {
    ...cardRequest(),
    operation: "sale",
    returnUrl: "https://gateway.example/3ds/return/state",
    sessionExpiresAt: soon(),
    ...more,
  };
}

/** A follow-up of a payment of this moment. */
export function followUpRequest(parent: CardRequest, more: Partial<FollowUpRequest> = {}): FollowUpRequest {
  const { reference: parentReference, orderId, amountMinor, currency } = parent;
  return {
    reference: `${parentReference}:capture:${randomUUID()}`,
    orderId,
    parentReference,
    amountMinor,
    currency,
    target: { externalTransactionId: "25149157", amountMinor, at: new Date() },
    waitUntil: soon(),
    ...more,
  };
}

export function reversalRequest(parent: CardRequest, more: Partial<ReversalRequest> = {}): ReversalRequest {
  const { reference, orderId, amountMinor, currency } = parent;
  const target = { amountMinor, at: new Date() };
  const operation = "sale" as const;
  return { reference, orderId, amountMinor, currency, operation, target, waitUntil: soon(), ...more };
}

export function inquiryRequest(
  { reference, orderId, currency }: Pick<CardRequest, "reference" | "orderId" | "currency">,
  more: Partial<InquiryRequest> = {},
): InquiryRequest {
  return { kind: "sale", reference, orderId, currency, waitUntil: soon(), ...more };
}
