import { z } from "zod";
import { apiPaymentResponseSchema } from "../http/api-payment-response.ts";
import { binInfoSchema, binSchema } from "../http/bin.ts";
import { amountMinorSchema, defineCommand } from "./message.ts";

/** Every subject that one service asks another on. Searching for a constant's name finds its one handler. */

/** AES-256-GCM of the card, sealed by the gateway for `payments` (see the sealing package); all base64url. */
export const sealedCardSchema = z.object({
  keyId: z.string(),
  salt: z.string(),
  nonce: z.string(),
  ciphertext: z.string(),
});
export type SealedCard = z.infer<typeof sealedCardSchema>;

/** {@link OrderDetails}, sealed as the card is, for the same payment: a buyer's data are no business of the bus either. */
export const sealedDetailsSchema = sealedCardSchema;
export type SealedDetails = SealedCard;

const cardPayment = {
  paymentId: z.uuid(),
  orderId: z.string(),
  amountMinor: amountMinorSchema,
  currency: z.string(),
  cardHolderName: z.string(),
  card: sealedCardSchema,
  requestIp: z.string(),
  requestPort: z.int(),
  customerId: z.string().optional(),
  allowConcurrentAttempt: z.boolean().optional(),
  details: sealedDetailsSchema.optional(),
};

/** Reserve funds. The payment's id was drawn by the gateway, so a copy of the message is the same payment. */
export const preAuthorizePayment = defineCommand({
  service: "payments",
  name: "pre-authorize",
  request: z.object(cardPayment),
  result: apiPaymentResponseSchema,
});
export type PreAuthorizePayment = z.infer<typeof preAuthorizePayment.request>;

/** Reserve and capture in one step. */
export const sellPayment = defineCommand({
  service: "payments",
  name: "sell",
  request: z.object({
    ...cardPayment,
    installmentCount: z.int().optional(),
    loyaltyCode: z.string().optional(),
  }),
  result: apiPaymentResponseSchema,
});
export type SellPayment = z.infer<typeof sellPayment.request>;

/**
 * Take all or a part of an authorization. The gateway drew `operationId`: a copy of the message is the same capture.
 */
export const capturePayment = defineCommand({
  service: "payments",
  name: "capture",
  request: z.object({
    paymentId: z.uuid(),
    operationId: z.uuid(),
    /** Source text of the JSON number; its decimals are judged by the payment's currency. */
    amount: z.string().optional(),
    currency: z.string().optional(),
  }),
  result: apiPaymentResponseSchema,
});
export type CapturePayment = z.infer<typeof capturePayment.request>;

/** Let go of an authorization, or void a sale. */
export const cancelPayment = defineCommand({
  service: "payments",
  name: "cancel",
  request: z.object({ paymentId: z.uuid(), operationId: z.uuid(), reason: z.string().optional() }),
  result: apiPaymentResponseSchema,
});
export type CancelPayment = z.infer<typeof cancelPayment.request>;

/** Read one payment of the merchant. */
export const getPayment = defineCommand({
  service: "payments",
  name: "get",
  work: "read",
  request: z.object({ paymentId: z.uuid() }),
  result: apiPaymentResponseSchema,
});

/** What the BIN table says of a card's first digits. */
export const lookUpBin = defineCommand({
  service: "payments",
  name: "look-up-bin",
  work: "read",
  request: z.object({ bin: binSchema }),
  result: binInfoSchema,
});
