import type { Pool } from "pg";
import type { SendOperatorCommand } from "../bus/operator-command.ts";
import type { Route } from "../endpoint/route.ts";
import { activateWebhookSecretRoute } from "./webhook-activate-secret.ts";
import { deleteWebhookRoute } from "./webhook-delete.ts";
import { getWebhookDeliveryRoute } from "./webhook-get-delivery.ts";
import { listWebhookDeliveriesRoute } from "./webhook-list-deliveries.ts";
import { putWebhookRoute } from "./webhook-put.ts";
import { redeliverFailedWebhooksRoute } from "./webhook-redeliver-failed.ts";
import { redeliverWebhookRoute } from "./webhook-redeliver.ts";
import { rotateWebhookSecretRoute } from "./webhook-rotate-secret.ts";
import { testWebhookRoute } from "./webhook-test.ts";

/** Everything operators do with webhooks. The literal path stands before the one with a parameter. */
export function webhookRoutes(deps: { send: SendOperatorCommand; pool: Pool }): Route[] {
  return [
    putWebhookRoute(deps),
    deleteWebhookRoute(deps),
    rotateWebhookSecretRoute(deps),
    activateWebhookSecretRoute(deps),
    testWebhookRoute(deps),
    redeliverFailedWebhooksRoute(deps),
    listWebhookDeliveriesRoute(deps),
    getWebhookDeliveryRoute(deps),
    redeliverWebhookRoute(deps),
  ];
}
