/** A valid body of POST /api/pre-authorization. */
export const examplePayment = {
  orderId: "bench",
  amount: 12.5,
  currency: "TRY",
  cardHolderName: "Ada Lovelace",
  pan: "4111111111111111",
  expiryMonth: "12",
  expiryYear: String((new Date().getUTCFullYear() + 2) % 100),
  cvv: "123",
  requestIp: "203.0.113.7",
  requestPort: 443,
};
