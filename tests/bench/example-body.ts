/** The bytes of a webhook as payments writes it, of its usual length. */
export function exampleBody(paymentId: string): Buffer {
  return Buffer.from(
    JSON.stringify({
      paymentId,
      orderId: "bench",
      amount: 12.5,
      installmentCount: 1,
      currency: "TRY",
      merchantCommission: 0.56,
      status: "SUCCESS",
      transactionType: "PRE_AUTHORIZATION",
      paymentDate: "2026-01-01T12:00:00.000Z",
      cardHolderName: "Ada Lovelace",
      pan: "411111******1111",
      domInt: "DOM",
      cardScheme: "VISA",
      cardType: "CREDIT",
      cardSubType: "CLASSIC",
      externalTransactionId: paymentId,
      authCode: "123456",
      resultCode: "00",
      resultMessage: "Approved",
    }),
  );
}
