/** One day of a shop, whose records the examples of all documents show. */

export const DAY = "2026-11-23";
export const PAYMENT_ID = "019ab2f4-6c00-7a31-9d4b-7d1e0199a6c2";
export const REFUND_ID = "019ab2f9-1d40-7c02-8e55-2f40c1b7a9d0";
export const CHECKOUT_ID = "5d0c6a0e-8a53-4c55-b1f7-0f2a6d9e4b11";
export const PAYMENT_LINK_ID = "c1b7a9d0-1d40-4c02-9e55-2f40019ab2f9";
export const MERCHANT_ID = "019ab2e0-0000-7000-8000-000000000001";

export const ACCOUNT_ID = "019ab2d0-7700-7c10-9be0-2f40c1b7a9d0";

export const SHOP = { successUrl: "https://shop.example/paid", failureUrl: "https://shop.example/failed" };
export const PRICE = { amount: 12.5, currency: "TRY" };
export const NEXT = { nextCursor: "MDE5YWIyZjQ" };

export const REQUESTED = {
  paymentId: PAYMENT_ID,
  orderId: "order-1",
  ...PRICE,
  installmentCount: 1,
  merchantCommission: 0.56,
  paymentDate: `${DAY}T09:30:00.927Z`,
  cardHolderName: "Ada Lovelace",
  pan: "411111******1111",
  domInt: "DOM",
  cardScheme: "VISA",
  cardType: "CREDIT",
  livemode: true,
};
/** The payment before the bank has answered. */
export const ENROLLED = { ...REQUESTED, status: "ENROLLED", statusDate: REQUESTED.paymentDate, version: 1 };
export const PAYMENT = {
  ...REQUESTED,
  status: "SUCCESS",
  statusDate: `${DAY}T09:30:01.412Z`,
  version: 2,
  externalTransactionId: "260327093001",
  authCode: "731904",
  resultCode: "00",
  resultMessage: "Approved",
};

export const CAPTURED = {
  ...PAYMENT,
  status: "CAPTURED",
  capturedAmount: 12.5,
  capturedAt: `${DAY}T10:05:12.080Z`,
  version: 3,
  lastOperation: { type: "CAPTURE", status: "DONE", amount: 12.5, at: `${DAY}T10:05:12.080Z` },
};
export const PENDING_CAPTURE = {
  ...PAYMENT,
  lastOperation: { type: "CAPTURE", status: "PENDING", amount: 12.5, at: `${DAY}T10:05:11.340Z` },
};
export const CANCELLED = {
  ...PAYMENT,
  status: "CANCELLED",
  cancelledAt: `${DAY}T09:41:00.115Z`,
  cancelReason: "The order was withdrawn",
  version: 3,
  lastOperation: { type: "CANCEL", status: "DONE", amount: 12.5, at: `${DAY}T09:41:00.115Z` },
};
export const PENDING_CANCELLATION = {
  ...PAYMENT,
  lastOperation: { type: "CANCEL", status: "PENDING", amount: 12.5, at: `${DAY}T09:40:59.020Z` },
};
export const REFUND = {
  ...ENROLLED,
  paymentId: REFUND_ID,
  parentPaymentId: PAYMENT_ID,
  transactionType: "REFUND",
  merchantCommission: 0,
  status: "PENDING_APPROVAL",
  statusDate: `${DAY}T14:00:00.301Z`,
  paymentDate: `${DAY}T14:00:00.301Z`,
};
export const CHALLENGE = {
  redirectUrl: "https://pay.example/3ds/019ab2f4.Gm1",
  htmlContent: "PCFkb2N0eXBlIGh0bWw+",
  expiresAt: `${DAY}T09:45:00.927Z`,
};
export const CHECKOUT = {
  checkoutId: CHECKOUT_ID,
  checkoutUrl: `https://pay.example/checkout/${CHECKOUT_ID}`,
  status: "OPEN",
  orderId: "order-1",
  ...PRICE,
  transactionType: "PAYMENT",
  installmentOptions: [1, 3],
  threeDs: true,
  ...SHOP,
  createdAt: `${DAY}T09:30:00.000Z`,
  expiresAt: `${DAY}T10:00:00.000Z`,
  livemode: true,
};
export const PAID_CHECKOUT = {
  ...CHECKOUT,
  status: "COMPLETED",
  closedAt: `${DAY}T09:31:40.200Z`,
  payment: { ...PAYMENT, transactionType: "PAYMENT" },
};
export const PAYMENT_LINK = {
  paymentLinkId: PAYMENT_LINK_ID,
  paymentLinkUrl: `https://pay.example/checkout/links/${PAYMENT_LINK_ID}`,
  livemode: true,
  status: "ACTIVE",
  orderId: "lesson-1",
  description: "Piano lesson, November",
  ...PRICE,
  installmentOptions: [1, 3],
  threeDs: true,
  use: "SINGLE",
  createdAt: `${DAY}T09:30:00.000Z`,
  expiresAt: "2026-12-23T09:30:00.000Z",
};
export const STATEMENT = {
  merchantId: MERCHANT_ID,
  day: DAY,
  currency: "TRY",
  salesAmount: 1_250,
  refundsAmount: 12.5,
  chargebacksAmount: 0,
  adjustmentsAmount: 0,
  commission: 55.44,
  bankFeesAmount: 21.25,
  netPayableAmount: 1_182.06,
  lines: 101,
  unpricedLines: 0,
  complete: true,
  revision: 1,
};
