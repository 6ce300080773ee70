import {
  DEFAULT_ENDPOINT,
  HOURS,
  OPERATOR_WEBHOOK_REQUESTS,
  ROTATED,
  SECOND_ENDPOINT,
  SECRET,
} from "./operator-webhook-examples.ts";
import {
  CANCELLED,
  CAPTURED,
  CHALLENGE,
  CHECKOUT,
  DAY,
  ENROLLED,
  NEXT,
  PAID_CHECKOUT,
  PAYMENT,
  PAYMENT_LINK,
  PENDING_CANCELLATION,
  PENDING_CAPTURE,
  PRICE,
  REFUND,
  SHOP,
  STATEMENT,
} from "./shop-day.ts";

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
export const MERCHANT_REQUESTS: Readonly<Record<string, object>> = {
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
  createWebhook: OPERATOR_WEBHOOK_REQUESTS["createMerchantWebhook"]!,
  changeWebhook: OPERATOR_WEBHOOK_REQUESTS["changeMerchantWebhook"]!,
};

/** The answer of each operation that succeeds, by its name and the status. */
export const MERCHANT_ANSWERS: Readonly<Record<string, Readonly<Record<number, object>>>> = {
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
  listWebhooks: { 200: { items: [DEFAULT_ENDPOINT], managedBy: "api" } },
  createWebhook: { 201: { ...SECOND_ENDPOINT, secret: SECRET } },
  changeWebhook: { 200: { ...SECOND_ENDPOINT, events: ["payment.captured"], version: 2 } },
  getWebhookHealth: { 200: HOURS },
  rotateWebhookSecret: { 200: ROTATED },
  testWebhook: {
    200: {
      eventId: "019ab300-2200-7000-8000-0000000000aa",
      delivered: true,
      statusCode: 200,
      durationMs: 84,
    },
  },
  listStatements: { 200: { items: [STATEMENT] } },
};
