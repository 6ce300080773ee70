import { DAY, MERCHANT_ID, NEXT, PAYMENT_ID } from "./shop-day.ts";
import { WEBHOOK_EXAMPLES } from "./webhook-examples.ts";

const URL_OF_SHOP = "https://shop.example/webhooks";
const SECOND_URL = "https://erp.example/holdfast";

/** The bodies by which operators look after merchants' endpoints. */
export const OPERATOR_WEBHOOK_REQUESTS: Readonly<Record<string, object>> = {
  createMerchantWebhook: {
    url: SECOND_URL,
    events: ["payment.captured", "refund.requested"],
    headers: [{ name: "x-tenant", value: "shop-7" }],
  },
  changeMerchantWebhook: {
    version: 1,
    url: SECOND_URL,
    events: ["payment.captured"],
    headers: [{ name: "x-tenant" }],
  },
  putMerchantWebhook: { url: URL_OF_SHOP },
  setWebhookManagement: { managedBy: "api" },
  redeliverWebhook: { endpointId: MERCHANT_ID },
  redeliverFailedWebhooks: { merchantId: MERCHANT_ID, since: `${DAY}T00:00:00Z` },
};

const ENDPOINT_ID = "019ab2e1-5500-7b31-8e55-1d40c1b7a9d0";
export const SECRET = "whs_Cd9Nd-ELxShiEu9BikvhMhNYNAkl_3e4KuxA9BkJhrU";
const HEALTHY = { breaker: "closed", lastSuccessAt: `${DAY}T09:30:02.000Z` };
export const DEFAULT_ENDPOINT = {
  endpointId: MERCHANT_ID,
  default: true,
  url: URL_OF_SHOP,
  events: ["payment.status_changed"],
  version: 1,
  enabled: true,
  waitingCount: 0,
  createdAt: `${DAY}T08:05:00.000Z`,
  secretVersion: 1,
  health: HEALTHY,
};
export const SECOND_ENDPOINT = {
  endpointId: ENDPOINT_ID,
  default: false,
  url: SECOND_URL,
  events: ["payment.captured", "refund.requested"],
  headers: [{ name: "x-tenant" }],
  version: 1,
  enabled: true,
  waitingCount: 0,
  createdAt: `${DAY}T08:06:00.000Z`,
  secretVersion: 1,
  health: { breaker: "closed" },
};
const FAILING = {
  endpointId: ENDPOINT_ID,
  default: false,
  url: SECOND_URL,
  health: {
    breaker: "open",
    lastFailureAt: `${DAY}T11:30:00.000Z`,
    failingSince: `${DAY}T10:05:13.000Z`,
    oldestDueAt: `${DAY}T11:35:00.000Z`,
  },
  merchantId: MERCHANT_ID,
  livemode: true,
  lastError: "status",
  lastStatusCode: 503,
  merchantName: "Book Shop",
};
export const ROTATED = { secret: SECRET, activatesAt: "2026-11-24T09:00:00.000Z" };
const TRIED = {
  eventId: "019ab300-2200-7000-8000-0000000000aa",
  delivered: true,
  statusCode: 200,
  durationMs: 84,
};
const DELIVERY = {
  eventId: "019ab2f4-7100-7d7f-89a0-fa1c3d815db2",
  eventType: "payment.status_changed",
  merchantId: MERCHANT_ID,
  livemode: true,
  paymentId: PAYMENT_ID,
  paymentStatus: "SUCCESS",
  orderId: "order-1",
  endpointId: MERCHANT_ID,
  status: "delivered",
  occurredAt: `${DAY}T09:30:01.412Z`,
  deadlineAt: "2026-11-25T09:30:01.412Z",
  remainingSeconds: 172_675,
  attemptCount: 1,
  lastStatusCode: 200,
  resolvedAt: `${DAY}T09:30:01.690Z`,
};
const SENT = JSON.stringify(WEBHOOK_EXAMPLES["payment.status_changed"]);
const ATTEMPT = {
  number: 1,
  trigger: "schedule",
  endpointId: MERCHANT_ID,
  plannedAt: `${DAY}T09:30:01.500Z`,
  sentAt: `${DAY}T09:30:01.610Z`,
  succeeded: true,
  statusCode: 200,
  durationMs: 64,
  requestTime: "1795426201610",
  signedPrefix: `1795426201610:{"paymentId":"${PAYMENT_ID.slice(0, 18)}`,
  bodyHash: "401f40097bf4c6fda1bceba4b41f4773460d7ff5632beaba59ad8c0ea86c3fd6",
  secretVersion: 1,
  remoteAddress: "198.51.100.20",
  remainingSeconds: 172_799,
};
export const HOURS = {
  items: [
    {
      hour: `${DAY}T09:00:00.000Z`,
      sent: 42,
      answered: 40,
      failed: [{ error: "timeout", count: 2 }],
      p50Ms: 76,
      p95Ms: 215,
    },
  ],
};
const QUEUED = { queued: 1 };

/** The answers of these operations when they succeed. */
export const OPERATOR_WEBHOOK_ANSWERS: Readonly<Record<string, Readonly<Record<number, object>>>> = {
  listFailingWebhooks: { 200: { items: [FAILING], total: 1 } },
  listMerchantWebhooks: { 200: { items: [DEFAULT_ENDPOINT, SECOND_ENDPOINT], managedBy: "staff" } },
  getMerchantWebhookHealth: { 200: HOURS },
  setWebhookManagement: { 200: { managedBy: "api" } },
  createMerchantWebhook: { 201: { ...SECOND_ENDPOINT, secret: SECRET } },
  changeMerchantWebhook: { 200: { ...SECOND_ENDPOINT, events: ["payment.captured"], version: 2 } },
  rotateWebhookEndpointSecret: { 200: ROTATED },
  testWebhookEndpoint: { 200: TRIED },
  putMerchantWebhook: { 200: { url: URL_OF_SHOP }, 201: { url: URL_OF_SHOP, secret: SECRET } },
  rotateMerchantWebhookSecret: { 200: ROTATED },
  testMerchantWebhook: { 200: TRIED },
  listWebhookDeliveries: { 200: { items: [DELIVERY], ...NEXT } },
  getWebhookDelivery: {
    200: {
      ...DELIVERY,
      endpoints: [{ endpointId: MERCHANT_ID, status: "delivered", resolvedAt: DELIVERY.resolvedAt }],
      attempts: [ATTEMPT],
    },
  },
  getWebhookBody: { 200: { eventId: DELIVERY.eventId, body: SENT, bytes: SENT.length } },
  redeliverWebhook: { 202: QUEUED },
  redeliverFailedWebhooks: { 202: QUEUED },
};
