import { z } from "zod";
import { apiPaymentResponseSchema } from "../http/api-payment-response.ts";
import { defineCommand } from "./message.ts";

/** Every subject that one service asks another on. Searching for a constant's name finds its one handler. */

/** AES-256-GCM of the card, sealed by the gateway for `payments` (see the card-sealing package); all base64url. */
export const sealedCardSchema = z.object({
  keyId: z.string(),
  salt: z.string(),
  nonce: z.string(),
  ciphertext: z.string(),
});
export type SealedCard = z.infer<typeof sealedCardSchema>;

/** Reserve funds. The payment's id was drawn by the gateway, so a copy of the message is the same payment. */
export const preAuthorizePayment = defineCommand({
  service: "payments",
  name: "pre-authorize",
  request: z.object({
    paymentId: z.uuid(),
    orderId: z.string(),
    amountMinor: z.string().regex(/^\d{1,14}$/),
    currency: z.string(),
    cardHolderName: z.string(),
    card: sealedCardSchema,
    requestIp: z.string(),
    requestPort: z.int(),
    customerId: z.string().optional(),
  }),
  result: apiPaymentResponseSchema,
});
export type PreAuthorizePayment = z.infer<typeof preAuthorizePayment.request>;

/** Read one payment of the merchant. */
export const getPayment = defineCommand({
  service: "payments",
  name: "get",
  request: z.object({ paymentId: z.uuid() }),
  result: apiPaymentResponseSchema,
});
