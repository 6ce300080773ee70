import { readAuditEntriesBefore } from "@holdfast/audit";
import { findMissingEvents, operations, readAuditLog } from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { getDelivery, listDeliveries, type DeliveryLogDeps } from "./delivery-log.ts";
import { redeliver, redeliverFailed, type RedeliverDeps } from "./redeliver.ts";
import type { DeliverDeps } from "../delivery/deliver.ts";
import { readHours } from "./endpoint-hours.ts";
import { activateSecret, deleteEndpoint, putEndpoint, rotateSecret } from "./manage-endpoint.ts";
import {
  changeEndpoint,
  createEndpoint,
  listEndpoints,
  type MerchantEndpointsDeps,
} from "./merchant-endpoints.ts";
import { listFailing } from "./failing-endpoints.ts";
import { setManagement } from "./management.ts";
import { readBody } from "./read-body.ts";
import { sendTestEvent } from "./send-test-event.ts";
import { findMissing } from "../accept/find-missing.ts";
import { comparableSince } from "../retention.ts";

export type OperatorDeps = MerchantEndpointsDeps &
  DeliveryLogDeps &
  RedeliverDeps &
  Pick<DeliverDeps, "client" | "openSecrets">;

/**
 * The commands that operators, and the owners of the events, may send to this service; `serve` has verified who the
 * operators are and what they may.
 */
export function operatorHandlers(deps: OperatorDeps) {
  return [
    ...endpointHandlers(deps),
    handler(operations.listWebhookDeliveries.command, ({ payload }) => listDeliveries(deps, payload)),
    handler(operations.getWebhookDelivery.command, ({ payload }) => getDelivery(deps, payload.eventId)),
    handler(operations.getWebhookBody.command, ({ context, payload }) => readBody(deps, context, payload)),
    handler(operations.redeliverWebhook.command, ({ context, payload }) => redeliver(deps, context, payload)),
    handler(operations.redeliverFailedWebhooks.command, ({ context, payload }) =>
      redeliverFailed(deps, context, payload),
    ),
    handler(readAuditLog.webhooks, async ({ payload }) => ({
      outcome: "done",
      result: { entries: await readAuditEntriesBefore(deps.db, "webhooks", payload) },
    })),
    handler(findMissingEvents, async ({ payload: { eventIds } }) => {
      const keptSince = new Date(comparableSince(deps.clock.databaseNow(), deps.limits.eventDays));
      const missing = await findMissing(deps.db, { eventIds, keptSince });
      return { outcome: "done", result: { missing, keptSince: keptSince.toISOString() } };
    }),
  ];
}

function endpointHandlers(deps: OperatorDeps) {
  return [
    handler(operations.listFailingWebhooks.command, () => listFailing(deps)),
    handler(operations.listMerchantWebhooks.command, ({ payload }) =>
      listEndpoints(deps, payload.merchantId),
    ),
    handler(operations.getMerchantWebhookHealth.command, ({ payload }) => readHours(deps, payload)),
    handler(operations.setWebhookManagement.command, ({ context, payload }) =>
      setManagement(deps, context, payload),
    ),
    handler(operations.putMerchantWebhook.command, ({ context, payload }) =>
      putEndpoint(deps, context, payload),
    ),
    handler(operations.createMerchantWebhook.command, ({ context, payload }) =>
      createEndpoint(deps, context, payload),
    ),
    handler(operations.changeMerchantWebhook.command, ({ context, payload }) =>
      changeEndpoint(deps, context, payload),
    ),
    handler(operations.removeMerchantWebhook.command, ({ context, payload }) =>
      deleteEndpoint(deps, context, payload),
    ),
    handler(operations.rotateWebhookEndpointSecret.command, ({ context, payload }) =>
      rotateSecret(deps, context, payload),
    ),
    handler(operations.activateWebhookEndpointSecret.command, ({ context, payload }) =>
      activateSecret(deps, context, payload),
    ),
    handler(operations.testWebhookEndpoint.command, ({ context, payload }) =>
      sendTestEvent(deps, context, payload),
    ),
  ];
}
