import type { Endpoint } from "../http/endpoint.ts";
import type { Difference } from "./staff-endpoint.ts";
import { operations } from "./operations.ts";

const path = "/staff/webhooks";
const one = `${path}/{endpointId}`;
const role = "developer";

/** The changes that developers may make to their merchant's webhook endpoints. */
export const STAFF_WEBHOOK_CHANGES: readonly (readonly [Endpoint, Difference])[] = [
  [
    operations.putMerchantWebhook,
    {
      operationId: "putWebhookAsStaff",
      role,
      path: "/staff/webhook",
      summary: "Set the default webhook URL",
      description:
        "Turns the merchant's default endpoint on, or changes its URL. The secret is shown only once, when webhooks " +
        "are turned on.",
    },
  ],
  [
    operations.createMerchantWebhook,
    {
      operationId: "createWebhookAsStaff",
      role,
      path,
      summary: "Add a webhook endpoint",
      description:
        "Adds an endpoint with its own secret, which is shown only once. It gets the events that happen from now on: " +
        "those that are named, or `payment.status_changed`.",
    },
  ],
  [
    operations.changeMerchantWebhook,
    {
      operationId: "changeWebhookAsStaff",
      role,
      path: one,
      summary: "Change a webhook endpoint",
      description:
        "Changes the URL, the headers, or the events that the endpoint gets from now on, or switches it off or on. " +
        "Switching off loses nothing: `whileOff` says what happens to the events of that time, and `waiting`, when it is " +
        "switched on, what happens to those that wait.",
    },
  ],
  [
    operations.removeMerchantWebhook,
    {
      operationId: "removeWebhookAsStaff",
      role,
      path: one,
      summary: "Remove a webhook endpoint",
      description: "Removes the endpoint; what it has not received yet is not delivered to it.",
    },
  ],
  [
    operations.rotateWebhookEndpointSecret,
    {
      operationId: "rotateWebhookSecretAsStaff",
      role,
      path: `${one}/rotate-secret`,
      summary: "Rotate a webhook secret",
      description:
        "Makes a new secret, which is shown only once. Webhooks are signed with both until it is activated.",
    },
  ],
  [
    operations.activateWebhookEndpointSecret,
    {
      operationId: "activateWebhookSecretAsStaff",
      role,
      path: `${one}/activate-secret`,
      summary: "Activate the new webhook secret",
      description: "Signs with the new secret alone from now on.",
    },
  ],
  [
    operations.testWebhookEndpoint,
    {
      operationId: "testWebhookAsStaff",
      role,
      path: `${one}/test`,
      summary: "Send a test webhook",
      description:
        "Sends a signed event of type `webhook.test` immediately, and returns what the server answered.",
    },
  ],
];
