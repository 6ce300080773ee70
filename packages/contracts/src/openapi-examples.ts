/**
 * One day of a shop, as examples of the merchants' document: what each operation is sent, and what it answers. Tests send
 * the same bodies, and hold each example to its schema.
 */

const DAY = "2026-11-23";
const PAYMENT_ID = "019ab2f4-6c00-7a31-9d4b-7d1e0199a6c2";
const REFUND_ID = "019ab2f9-1d40-7c02-8e55-2f40c1b7a9d0";
const CHECKOUT_ID = "5d0c6a0e-8a53-4c55-b1f7-0f2a6d9e4b11";
const PAYMENT_LINK_ID = "c1b7a9d0-1d40-4c02-9e55-2f40019ab2f9";
const MERCHANT_ID = "019ab2e0-0000-7000-8000-000000000001";

const SHOP = { successUrl: "https://shop.example/paid", failureUrl: "https://shop.example/failed" };
const PRICE = { amount: 12.5, currency: "TRY" };

const CARD_PAYMENT = {
  orderId: "order-1",
  ...PRICE,
  cardHolderName: "Ada Lovelace",
  pan: "4111111111111111",
  expiryMonth: "12",
  expiryYear: "35",
  cvv: "123",
  requestIp: "203.0.113.7",
  requestPort: 50_123,
};

/** The body of each operation that takes one, by its name. */
export const REQUEST_EXAMPLES: Readonly<Record<string, object>> = {
  preAuthorize: CARD_PAYMENT,
  pay: { ...CARD_PAYMENT, installmentCount: 3, loyaltyCode: "BONUS" },
  payWith3ds: { ...CARD_PAYMENT, ...SHOP, transactionType: "PAYMENT" },
  capture: PRICE,
  cancel: { reason: "The order was withdrawn" },
  requestRefund: PRICE,
  createCheckout: { orderId: "order-1", ...PRICE, ...SHOP, installmentOptions: [1, 3] },
  createPaymentLink: {
    orderId: "lesson-1",
    description: "Piano lesson, November",
    ...PRICE,
    installmentOptions: [1, 3],
  },
};

const REQUESTED = {
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
/** Before the bank has answered. */
const ENROLLED = { ...REQUESTED, status: "ENROLLED", statusDate: REQUESTED.paymentDate, version: 1 };
const PAYMENT = {
  ...REQUESTED,
  status: "SUCCESS",
  statusDate: `${DAY}T09:30:01.412Z`,
  version: 2,
  externalTransactionId: "260327093001",
  authCode: "731904",
  resultCode: "00",
  resultMessage: "Approved",
};

const CAPTURED = {
  ...PAYMENT,
  status: "CAPTURED",
  capturedAmount: 12.5,
  capturedAt: `${DAY}T10:05:12.080Z`,
  version: 3,
  lastOperation: { type: "CAPTURE", status: "DONE", amount: 12.5, at: `${DAY}T10:05:12.080Z` },
};
const PENDING_CAPTURE = {
  ...PAYMENT,
  lastOperation: { type: "CAPTURE", status: "PENDING", amount: 12.5, at: `${DAY}T10:05:11.340Z` },
};
const CANCELLED = {
  ...PAYMENT,
  status: "CANCELLED",
  cancelledAt: `${DAY}T09:41:00.115Z`,
  cancelReason: "The order was withdrawn",
  version: 3,
  lastOperation: { type: "CANCEL", status: "DONE", amount: 12.5, at: `${DAY}T09:41:00.115Z` },
};
const PENDING_CANCELLATION = {
  ...PAYMENT,
  lastOperation: { type: "CANCEL", status: "PENDING", amount: 12.5, at: `${DAY}T09:40:59.020Z` },
};
const REFUND = {
  ...ENROLLED,
  paymentId: REFUND_ID,
  parentPaymentId: PAYMENT_ID,
  transactionType: "REFUND",
  merchantCommission: 0,
  status: "PENDING_APPROVAL",
  statusDate: `${DAY}T14:00:00.301Z`,
  paymentDate: `${DAY}T14:00:00.301Z`,
};
const CHALLENGE = {
  redirectUrl: "https://pay.example/3ds/019ab2f4.Gm1",
  htmlContent: "PCFkb2N0eXBlIGh0bWw+",
  expiresAt: `${DAY}T09:45:00.927Z`,
};
const CHECKOUT = {
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
const PAID_CHECKOUT = {
  ...CHECKOUT,
  status: "COMPLETED",
  closedAt: `${DAY}T09:31:40.200Z`,
  payment: { ...PAYMENT, transactionType: "PAYMENT" },
};
const PAYMENT_LINK = {
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
const NEXT = { nextCursor: "MDE5YWIyZjQ" };

/** What each operation answers where it succeeds, by its name and the status. */
export const ANSWER_EXAMPLES: Readonly<Record<string, Readonly<Record<number, object>>>> = {
  preAuthorize: { 201: PAYMENT, 202: ENROLLED },
  pay: { 201: { ...PAYMENT, installmentCount: 3, loyaltyCode: "BONUS" }, 202: ENROLLED },
  payWith3ds: { 201: { ...ENROLLED, ...CHALLENGE }, 202: ENROLLED },
  getPayment: { 200: CAPTURED },
  listPayments: {
    200: { items: [REFUND, { ...CAPTURED, transactionType: "PRE_AUTHORIZATION" }], ...NEXT },
  },
  listPaymentRefunds: { 200: { items: [REFUND] } },
  capture: { 200: CAPTURED, 202: PENDING_CAPTURE },
  cancel: { 200: CANCELLED, 202: PENDING_CANCELLATION },
  requestRefund: { 202: REFUND },
  getBin: {
    200: {
      bin: "411111",
      cardScheme: "VISA",
      cardType: "CREDIT",
      cardSubType: "CLASSIC",
      issuer: "A Bank",
      country: "TR",
      domInt: "DOM",
      loyaltyCode: "BONUS",
      installmentCounts: [1, 2, 3],
    },
  },
  createCheckout: { 201: CHECKOUT },
  getCheckout: { 200: PAID_CHECKOUT },
  cancelCheckout: { 200: { ...CHECKOUT, status: "CANCELLED", closedAt: `${DAY}T09:33:00.000Z` } },
  listCheckouts: { 200: { items: [PAID_CHECKOUT], ...NEXT } },
  createPaymentLink: { 201: PAYMENT_LINK },
  getPaymentLink: { 200: PAYMENT_LINK },
  listPaymentLinks: { 200: { items: [PAYMENT_LINK], ...NEXT } },
  disablePaymentLink: {
    200: { ...PAYMENT_LINK, status: "DISABLED", disabledAt: `${DAY}T11:00:00.000Z` },
  },
  listWebhooks: {
    200: {
      items: [
        {
          endpointId: MERCHANT_ID,
          default: true,
          url: "https://shop.example/webhooks",
          events: ["payment.status_changed"],
          createdAt: `${DAY}T08:00:00.000Z`,
          secretVersion: 1,
          health: { breaker: "closed", lastSuccessAt: `${DAY}T09:30:02.000Z` },
        },
      ],
    },
  },
  testWebhook: {
    200: {
      eventId: "019ab300-2200-7000-8000-0000000000aa",
      delivered: true,
      statusCode: 200,
      durationMs: 84,
    },
  },
  listStatements: {
    200: {
      items: [
        {
          merchantId: MERCHANT_ID,
          day: DAY,
          currency: "TRY",
          salesAmount: 1_250,
          refundsAmount: 12.5,
          chargebacksAmount: 0,
          commission: 55.44,
          bankFeesAmount: 21.25,
          netPayableAmount: 1_182.06,
          lines: 101,
          unpricedLines: 0,
          complete: true,
          revision: 1,
        },
      ],
    },
  },
};
