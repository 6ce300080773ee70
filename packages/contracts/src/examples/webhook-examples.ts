import type { EventType } from "../event-types.ts";
import type { WEBHOOK_TEST } from "../messages/events.ts";
import {
  CAPTURED,
  CHECKOUT_ID,
  DAY,
  ENROLLED,
  MERCHANT_ID,
  PAYMENT,
  PRICE,
  REFUND,
  STATEMENT,
} from "./shop-day.ts";

const SALE = { ...PAYMENT, transactionType: "PAYMENT" };
const AUTHORIZATION = { ...CAPTURED, transactionType: "PRE_AUTHORIZATION" };

const UNPAID_CHECKOUT = {
  checkoutId: CHECKOUT_ID,
  livemode: true,
  orderId: "order-1",
  ...PRICE,
  transactionType: "PAYMENT",
  createdAt: `${DAY}T09:30:00.000Z`,
  expiresAt: `${DAY}T10:00:00.000Z`,
};

const { unpricedLines: _none, ...BOOKED } = STATEMENT;

/** The body of each webhook, by the type of its event. */
export const WEBHOOK_EXAMPLES: Readonly<Record<EventType | typeof WEBHOOK_TEST, object>> = {
  "payment.status_changed": SALE,
  "payment.captured": AUTHORIZATION,
  "refund.requested": REFUND,
  "payment.enrolled": { ...ENROLLED, transactionType: "PAYMENT" },
  "payment.operation_settled": AUTHORIZATION,
  "payment.chargeback": {
    ...SALE,
    chargedBackAmount: 12.5,
    chargeback: {
      chargebackId: "019ad6f0-3c00-7b20-a41d-9be0c5d10f66",
      kind: "CHARGEBACK",
      status: "OPEN",
      ...PRICE,
      reasonCode: "10.4",
      respondBy: "2026-12-07T21:00:00.000Z",
      openedAt: "2026-11-30T08:12:00.000Z",
    },
  },
  "checkout.completed": {
    ...UNPAID_CHECKOUT,
    status: "COMPLETED",
    closedAt: `${DAY}T09:31:40.200Z`,
    payment: SALE,
  },
  "checkout.expired": { ...UNPAID_CHECKOUT, status: "EXPIRED", closedAt: UNPAID_CHECKOUT.expiresAt },
  "checkout.cancelled": { ...UNPAID_CHECKOUT, status: "CANCELLED", closedAt: `${DAY}T09:33:00.000Z` },
  "webhook.disabled_warning": {
    endpointId: MERCHANT_ID,
    default: true,
    reason: "FAILING",
    failingSince: `${DAY}T09:30:07.000Z`,
    lostFrom: "2026-11-25T09:30:01.412Z",
  },
  "webhook.endpoint_changed": {
    endpointId: MERCHANT_ID,
    default: true,
    change: "CHANGED",
    fields: ["url"],
    by: "staff",
  },
  "settlement.statement_ready": {
    ...BOOKED,
    livemode: true,
    version: 1,
    statusDate: "2026-11-24T06:00:09.000Z",
    path: `/api/statements?from=${DAY}&to=${DAY}&currency=TRY`,
  },
  "webhook.test": {
    test: true,
    endpointId: MERCHANT_ID,
    livemode: true,
    sentAt: `${DAY}T08:10:00.000Z`,
  },
};
