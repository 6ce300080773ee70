import type { Endpoint } from "../http/endpoint.ts";
import type { Difference } from "./staff-endpoint.ts";
import { STAFF_WEBHOOK_CHANGES } from "./staff-webhook-changes.ts";
import { operations } from "./operations.ts";

/**
 * The changes that one role may make, by the endpoint of operators or merchants that makes the same change, and the
 * reading that not every role may do.
 */
export const STAFF_CHANGES: readonly (readonly [Endpoint, Difference])[] = [
  [
    operations.capture,
    {
      operationId: "capturePaymentAsStaff",
      role: "refunds",
      recentSignIn: true,
      path: "/staff/payments/{paymentId}/capture",
      summary: "Capture a payment",
      description:
        "Captures all or part of a pre-authorization's funds, once. Without an `amount`, everything that can still be " +
        "captured is captured.",
    },
  ],
  [
    operations.cancel,
    {
      operationId: "cancelPaymentAsStaff",
      role: "refunds",
      recentSignIn: true,
      path: "/staff/payments/{paymentId}/cancel",
      summary: "Cancel a payment",
      description: "Releases a pre-authorization's reserved funds, or voids a sale on its business day.",
    },
  ],
  [
    operations.requestRefundForMerchant,
    {
      operationId: "requestRefundAsStaff",
      role: "refunds",
      recentSignIn: true,
      path: "/staff/payments/{paymentId}/refunds",
      summary: "Request a refund",
      description: "Requests a refund, which operators must approve.",
    },
  ],
  ...STAFF_WEBHOOK_CHANGES,
  [
    operations.getWebhookBody,
    {
      operationId: "getWebhookBodyAsStaff",
      role: "developer",
      path: "/staff/webhook-deliveries/{eventId}/body",
      summary: "Get the body of a webhook",
      description: "Returns the body that is sent for one event. Each reading is in the audit log.",
    },
  ],
  [
    operations.redeliverWebhook,
    {
      operationId: "redeliverWebhookAsStaff",
      role: "developer",
      path: "/staff/webhook-deliveries/{eventId}/redeliver",
      summary: "Resend a webhook",
      description:
        "Sends one event again immediately, whatever its status: to the endpoint that is named, or to all that it was for.",
    },
  ],
  [
    operations.redeliverFailedWebhooks,
    {
      operationId: "redeliverFailedWebhooksAsStaff",
      role: "developer",
      path: "/staff/webhook-deliveries/redeliver",
      summary: "Resend failed or waiting webhooks",
      description:
        "Sends again all events that have failed since a given time, or without one all that wait for their next attempt, " +
        "at most 10000 in one call.",
    },
  ],
  [
    operations.addCredential,
    {
      operationId: "addCredentialAsStaff",
      role: "developer",
      recentSignIn: true,
      path: "/staff/credentials",
      summary: "Create a credential",
      description: "Creates another API key and secret, of live or test mode. The secret is shown only once.",
      mode: "none",
    },
  ],
  [
    operations.revokeCredential,
    {
      operationId: "revokeCredentialAsStaff",
      role: "developer",
      recentSignIn: true,
      path: "/staff/credentials/{apiKey}",
      summary: "Revoke a credential",
      description: "Within 10 seconds every request with this key is answered with 401.",
      mode: "none",
    },
  ],
  [
    operations.createPaymentLink,
    {
      operationId: "createPaymentLinkAsStaff",
      role: "owner",
      path: "/staff/payment-links",
      summary: "Create a payment link",
      description:
        "Creates an address that buyers pay. A link for one payment is paid once, whoever is first.",
    },
  ],
  [
    operations.disablePaymentLink,
    {
      operationId: "disablePaymentLinkAsStaff",
      role: "owner",
      path: "/staff/payment-links/{paymentLinkId}/disable",
      summary: "Disable a payment link",
      description: "Ends the link for good: nobody can begin to pay.",
    },
  ],
];
