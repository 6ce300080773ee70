import type { PaymentRequest } from "@holdfast/client";

/** A payment with a test card that its bank approves. */
export function cardPayment(orderId: string, amount: string): PaymentRequest {
  return {
    orderId,
    amount,
    currency: "TRY",
    cardHolderName: "Ada Lovelace",
    pan: "4111111111111111",
    expiryMonth: "12",
    expiryYear: String((new Date().getUTCFullYear() + 2) % 100).padStart(2, "0"),
    cvv: "123",
    requestIp: "203.0.113.7",
    requestPort: 443,
  };
}
