import {
  apiPaymentResponseSchema,
  currencyExponent,
  EVENT_TYPES,
  PAYMENT_STATUS_CHANGED,
  parseAmount,
  settledEventSchema,
  type ApiPaymentResponse,
  type MovementFact,
} from "@holdfast/contracts";
import { z } from "zod";

/**
 * The fact that an event of `payments` or `refunds` reports. An event says that an authorization was approved but not
 * that it was captured, and that a refund ended but not that it was paid or released: both are `OPEN`, and their owner
 * is asked. The same holds for an event without the account.
 *
 * @returns the reason, as a text, when the message is not such an event; undefined for an event of another type, whose
 * facts their owner is asked for anyway.
 */
export function factOfEvent(content: unknown): MovementFact | string | undefined {
  if (otherEvents.safeParse(content).success) return undefined;
  const event = settledEventSchema.safeParse(content);
  if (!event.success) return `not an event: ${event.error.issues[0]?.path.join(".") ?? ""}`;
  const record = apiPaymentResponseSchema.safeParse(parseJson(event.data.body));
  if (!record.success) return `not a record: ${record.error.issues[0]?.path.join(".") ?? ""}`;
  const { transactionType, parentPaymentId, statusDate, paymentDate, version, currency } = record.data;
  const amountMinor = minorUnits(record.data.amount, currency);
  if (amountMinor === undefined) return "the amount is none of its currency";
  if (transactionType === undefined) return "without a transaction type";
  if ((transactionType === "REFUND") !== (parentPaymentId !== undefined)) return "a refund without a payment";
  const { externalTransactionId, authCode, orderId, pan } = record.data;
  return {
    id: event.data.paymentId,
    ...(parentPaymentId !== undefined && { parentId: parentPaymentId }),
    merchantId: event.data.merchantId,
    kind: KINDS[transactionType],
    standing: factStatusOf({ ...record.data, transactionType }),
    amountMinor: `${amountMinor}`,
    currency,
    occurredAt: statusDate ?? paymentDate,
    version: version ?? 0,
    orderId,
    maskedPan: pan,
    ...(externalTransactionId !== undefined && { externalTransactionId }),
    ...(authCode !== undefined && { authCode }),
    ...event.data.settling,
  };
}

const otherEvents = z.object({ eventType: z.enum(EVENT_TYPES).exclude([PAYMENT_STATUS_CHANGED]) });

const KINDS = { PRE_AUTHORIZATION: "CAPTURE", PAYMENT: "SALE", REFUND: "REFUND" } as const;

type Typed = ApiPaymentResponse & { transactionType: keyof typeof KINDS };

/** A cancelled sale that was never approved has no authorization code: nothing of it was voided. */
function factStatusOf({ status, transactionType, authCode }: Typed): MovementFact["standing"] {
  switch (status) {
    case "SUCCESS":
      return transactionType === "PAYMENT" ? "DONE" : "OPEN";
    case "CANCELLED":
      return transactionType === "PAYMENT" && authCode !== undefined ? "VOIDED" : "NOT_DONE";
    case "FAILED":
    case "REJECTED":
      return "NOT_DONE";
    case "ENROLLED":
    case "PENDING_APPROVAL":
    case "CAPTURED":
      return "OPEN";
    default:
      return status satisfies never;
  }
}

function parseJson(base64: string): unknown {
  try {
    return JSON.parse(Buffer.from(base64, "base64").toString());
  } catch {
    return undefined;
  }
}

/** The shortest decimal form of the number is exactly the amount (`amountToJson`). */
function minorUnits(amount: number, currency: string): bigint | undefined {
  const exponent = currencyExponent(currency);
  const minor = exponent === undefined ? undefined : parseAmount(String(amount), exponent);
  return typeof minor === "bigint" ? minor : undefined;
}
