import { z } from "zod";

import { invalid, type Parsed } from "../../core/index.ts";

/** The operations that move money or bind a reference, as the ledger names them. */
export const operationNames = [
  "authorize",
  "sale",
  "capture",
  "cancel",
  "release",
  "refund",
  "reverse",
] as const;
export type OperationName = (typeof operationNames)[number];

/** A request in the bank's form. The CVV is dropped at the parse and the card number after the answer. */
export type OperationRequest = {
  operation: OperationName;
  reference: string;
  /** The authorization or sale of a follow-up; null for other operations. */
  parentReference: string | null;
  amountMinor: bigint;
  currency: string;
  /**
   * The whole card number of an authorization or a sale; null for other operations. It is never logged and
   * never stored.
   */
  pan: string | null;
  /** The card's programme, of an authorization or a sale. */
  loyaltyCode?: string | undefined;
  /** Epoch milliseconds; undefined if the request never expires. */
  expiresAtMs: number | undefined;
};

/** Checks the body of `POST /v1/{operation}`. */
export function parseOperationRequest(
  operation: OperationName,
  body: unknown,
  nowMs: number,
): Parsed<OperationRequest> {
  const parsed = bodySchemas[operation].safeParse(body);
  if (!parsed.success) return invalid(parsed.error);
  const {
    reference,
    parentReference = null,
    amountMinor,
    currency,
    card,
    loyaltyCode,
    expiresAt,
  } = parsed.data;
  const expiresAtMs = expiresAt === undefined ? undefined : Date.parse(expiresAt);
  if (expiresAtMs !== undefined && expiresAtMs > nowMs + EXPIRY_AHEAD_MAX_MS)
    return { kind: "invalid", fields: ["expiresAt"] };
  const request = { operation, reference, parentReference, currency, loyaltyCode, expiresAtMs };
  return { kind: "valid", request: { ...request, amountMinor: BigInt(amountMinor), pan: card?.pan ?? null } };
}

/** A late answer waits for `expiresAt`, so an expiry without a bound would be a wait without a bound. */
export const EXPIRY_AHEAD_MAX_MS = 3_600_000;

/** The references of all clients, also in `GET /v1/operations/{reference}`. */
export const referenceSchema = z.string().regex(/^[A-Za-z0-9:-]{1,128}$/);

export const commonFields = {
  reference: referenceSchema,
  amountMinor: z.int().positive(),
  currency: z.string().regex(/^[A-Z]{3}$/),
  expiresAt: z.iso.datetime(),
};

export const cardBody = z.object({
  ...commonFields,
  card: z.object({
    pan: z.string().regex(/^\d{12,19}$/),
    expiryMonth: z.string().regex(/^(0[1-9]|1[0-2])$/),
    expiryYear: z.string().regex(/^\d{2}$/),
    cvv: z.string().regex(/^\d{3,4}$/),
  }),
  cardHolderName: z.string().min(1).max(128),
  installmentCount: z.int().min(1).max(99),
  loyaltyCode: z.string().min(1).max(32).optional(),
});

/**
 * An operation that is repeated until its outcome is known needs no expiry: only one that is given up after a time may
 * have to be too late.
 */
const repeatableFields = { ...commonFields, expiresAt: commonFields.expiresAt.optional() };

const followUpBody = z.object({ ...repeatableFields, parentReference: referenceSchema });

type Body = {
  reference: string;
  parentReference?: string;
  amountMinor: number;
  currency: string;
  card?: { pan: string };
  loyaltyCode?: string | undefined;
  expiresAt?: string | undefined;
};

const bodySchemas: Record<OperationName, z.ZodType<Body>> = {
  authorize: cardBody,
  sale: cardBody,
  capture: followUpBody,
  cancel: followUpBody,
  release: followUpBody,
  refund: followUpBody,
  reverse: z.object(repeatableFields),
};
