import { z } from "zod";
import {
  CHECKOUT_CANCELLED,
  CHECKOUT_COMPLETED,
  CHECKOUT_EXPIRED,
  PAYMENT_CAPTURED,
  PAYMENT_CHARGEBACK,
  PAYMENT_ENROLLED,
  PAYMENT_OPERATION_SETTLED,
  PAYMENT_STATUS_CHANGED,
  REFUND_REQUESTED,
  SETTLEMENT_STATEMENT_READY,
  WEBHOOK_DISABLED_WARNING,
  WEBHOOK_ENDPOINT_CHANGED,
  type EventType,
} from "./event-types.ts";
import { WEBHOOK_EXAMPLES } from "./examples/webhook-examples.ts";
import {
  chargedBackPaymentSchema,
  lastOperationSchema,
  webhookPaymentSchema,
} from "./http/api-payment-response.ts";
import { webhookCheckoutSchema } from "./http/checkout.ts";
import { statementReadySchema } from "./http/statements.ts";
import {
  webhookEndpointChangeSchema,
  webhookTestBodySchema,
  webhookWarningSchema,
} from "./http/webhook-warning.ts";
import { WEBHOOK_TEST } from "./messages/events.ts";
import { meaningOfStatuses, type PaymentStatus } from "./payment-status.ts";

/** The webhooks of the merchants' document, by the type of the event. */

const webhookHeaders = z.object({
  "x-request-time": z.string().meta({ description: "Unix time of this attempt, in milliseconds" }),
  "x-request-signature": z.string().meta({
    description: "HMAC-SHA-256 of `{x-request-time}:{raw body}` with the webhook secret, in lower-case hex",
  }),
  "x-request-signature-next": z
    .string()
    .optional()
    .meta({ description: "Present while a new secret waits to be activated: the HMAC with that secret" }),
  "x-request-signature-v2": z.string().meta({
    description:
      "HMAC-SHA-256 of `v2:{x-request-time}:{x-event-id}:{x-event-type}:{raw body}` with the webhook secret, in " +
      "lower-case hex: it covers the event's id and type as well",
  }),
  "x-request-signature-v2-next": z.string().optional().meta({
    description: "The same with the new secret, beside `x-request-signature-next`",
  }),
  "content-digest": z.string().meta({
    description: "SHA-256 of the body (RFC 9530); it distinguishes a changed body from a wrong secret",
  }),
  "x-event-id": z
    .uuid()
    .meta({ description: "Id of the event, the same on every attempt; use it to discard duplicates" }),
});

const SUBSCRIBED = "Sent only to endpoints that ask for it.";

export const WEBHOOKS = {
  [PAYMENT_STATUS_CHANGED]: webhook(PAYMENT_STATUS_CHANGED, webhookPaymentSchema, {
    operationId: "paymentStatusChanged",
    summary: "Payment or refund reached a final status",
    description:
      "Sent when a payment or refund reaches SUCCESS, FAILED, REJECTED or CANCELLED. A payment that " +
      "reached SUCCESS and is cancelled later sends another event.",
  }),
  [PAYMENT_CAPTURED]: webhook(
    PAYMENT_CAPTURED,
    webhookPaymentSchema
      .extend({ status: always("CAPTURED") })
      .meta({ id: "WebhookCapturedPayment", description: "A payment that was captured" }),
    {
      operationId: "paymentCaptured",
      summary: "Authorization was captured",
      description: `Sent when a capture is done, in full or in part. ${SUBSCRIBED}`,
    },
  ),
  [REFUND_REQUESTED]: webhook(
    REFUND_REQUESTED,
    webhookPaymentSchema
      .extend({ status: always("PENDING_APPROVAL") })
      .meta({ id: "WebhookRequestedRefund", description: "A refund that waits for its approval" }),
    {
      operationId: "refundRequested",
      summary: "Refund was requested",
      description: `Sent when a refund waits for its approval, whoever requested it. ${SUBSCRIBED}`,
    },
  ),
  [PAYMENT_CHARGEBACK]: webhook(PAYMENT_CHARGEBACK, chargedBackPaymentSchema, {
    operationId: "paymentChargeback",
    summary: "Payment was charged back",
    description: `Sent when a chargeback of the payment is opened, and when its status changes. ${SUBSCRIBED}`,
  }),
  [CHECKOUT_COMPLETED]: webhook(CHECKOUT_COMPLETED, webhookCheckoutSchema, {
    operationId: "checkoutCompleted",
    summary: "Checkout was paid",
    description: `Sent when a checkout is COMPLETED; its payment sends its own events. ${SUBSCRIBED}`,
  }),
  [CHECKOUT_EXPIRED]: webhook(CHECKOUT_EXPIRED, webhookCheckoutSchema, {
    operationId: "checkoutExpired",
    summary: "Checkout expired without a payment",
    description: `Sent when nobody paid in time, also where nobody ever tried. ${SUBSCRIBED}`,
  }),
  [CHECKOUT_CANCELLED]: webhook(CHECKOUT_CANCELLED, webhookCheckoutSchema, {
    operationId: "checkoutCancelled",
    summary: "Checkout was cancelled",
    description: `Sent when the merchant or the buyer cancelled it, or all cards that may be tried were declined. ${SUBSCRIBED}`,
  }),
  [PAYMENT_ENROLLED]: webhook(
    PAYMENT_ENROLLED,
    webhookPaymentSchema
      .extend({ status: always("ENROLLED") })
      .meta({ id: "WebhookEnrolledPayment", description: "A payment whose buyer has a challenge to pass" }),
    {
      operationId: "paymentEnrolled",
      summary: "3-D Secure challenge began",
      description: `Sent when the buyer of a payment has to pass the issuer's challenge. ${SUBSCRIBED}`,
    },
  ),
  [PAYMENT_OPERATION_SETTLED]: webhook(
    PAYMENT_OPERATION_SETTLED,
    webhookPaymentSchema
      .extend({
        status: z
          .enum(["SUCCESS", "CAPTURED", "CANCELLED"])
          .meta({ description: meaningOfStatuses(["SUCCESS", "CAPTURED", "CANCELLED"]) }),
        lastOperation: lastOperationSchema,
      })
      .meta({
        id: "WebhookSettledOperation",
        description: "A payment whose capture or cancellation has ended; `lastOperation` says how",
      }),
    {
      operationId: "paymentOperationSettled",
      summary: "Capture or cancellation ended",
      description:
        "Sent when the bank has carried out or declined a capture or a cancellation, also one that was answered 202. " +
        SUBSCRIBED,
    },
  ),
  [WEBHOOK_DISABLED_WARNING]: webhook(WEBHOOK_DISABLED_WARNING, webhookWarningSchema, {
    operationId: "webhookDisabledWarning",
    summary: "Endpoint gets no events",
    description:
      "Sent to your other endpoints when one was removed, switched off or switched on again, or fails: after an hour, and " +
      "at a third and two thirds of the time for which a webhook is retried (as the gateway is configured), each time once " +
      `until that endpoint has succeeded again. ${SUBSCRIBED}`,
  }),
  [WEBHOOK_ENDPOINT_CHANGED]: webhook(WEBHOOK_ENDPOINT_CHANGED, webhookEndpointChangeSchema, {
    operationId: "webhookEndpointChanged",
    summary: "Endpoint was added or changed",
    description:
      "Sent to your other endpoints when one was added, its URL, events or headers were changed, or its secret was rotated " +
      `or activated, whoever has done it. ${SUBSCRIBED}`,
  }),
  [SETTLEMENT_STATEMENT_READY]: webhook(SETTLEMENT_STATEMENT_READY, statementReadySchema, {
    operationId: "settlementStatementReady",
    summary: "Statement is complete",
    description:
      "Sent when the statement of a day and currency is complete, and again, as the next revision, when it is complete " +
      `with another content, such as after a chargeback. ${SUBSCRIBED}`,
  }),
  [WEBHOOK_TEST]: webhook(WEBHOOK_TEST, webhookTestBodySchema, {
    operationId: "webhookTest",
    summary: "Test of an endpoint",
    description: "Sent once when you or an operator try an endpoint; it is never repeated.",
  }),
} as const satisfies Record<EventType | typeof WEBHOOK_TEST, unknown>;

/** The one status that a webhook's record has. */
function always(status: PaymentStatus) {
  return z.literal(status).meta({ description: meaningOfStatuses([status]) });
}

function webhook(
  type: EventType | typeof WEBHOOK_TEST,
  schema: z.ZodType,
  texts: { operationId: string; summary: string; description: string },
) {
  const header = webhookHeaders.extend({
    "x-event-type": z.literal(type).meta({ description: "Type of the event" }),
  });
  return {
    post: {
      ...texts,
      security: [],
      requestParams: { header },
      requestBody: { content: { "application/json": { schema, example: WEBHOOK_EXAMPLES[type] } } },
      responses: {
        "200": {
          description:
            "Any 2xx status within 5 seconds acknowledges the event; after any other answer it is sent " +
            "again, for up to 48 hours",
        },
      },
    },
  };
}
