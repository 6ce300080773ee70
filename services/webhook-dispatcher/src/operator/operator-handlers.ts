import { readAuditEntriesBefore } from "@holdfast/audit";
import {
  activateWebhookSecret,
  deleteWebhook,
  findMissingEvents,
  getWebhookDelivery,
  listWebhookDeliveries,
  putWebhook,
  readWebhooksAuditLog,
  redeliverFailedWebhooks,
  redeliverWebhook,
  rotateWebhookSecret,
  testWebhook,
} from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { getDelivery, listDeliveries, type DeliveryLogDeps } from "./delivery-log.ts";
import { redeliver, redeliverFailed, type RedeliverDeps } from "./redeliver.ts";
import type { DeliverDeps } from "../delivery/deliver.ts";
import {
  activateSecret,
  deleteEndpoint,
  putEndpoint,
  rotateSecret,
  type ManageEndpointDeps,
} from "./manage-endpoint.ts";
import { sendTestEvent } from "./send-test-event.ts";
import { findMissing } from "../accept/find-missing.ts";
import { comparableSince } from "../retention.ts";

export type OperatorDeps = ManageEndpointDeps &
  DeliveryLogDeps &
  RedeliverDeps &
  Pick<DeliverDeps, "client"> & {
    /** Days that events are kept. */
    eventDays: number;
  };

/**
 * The commands that operators, and the owners of the events, may send to this service; `serve` has verified who the
 * operators are and what they may.
 */
export function operatorHandlers(deps: OperatorDeps) {
  return [
    handler(putWebhook, ({ context, payload }) => putEndpoint(deps, context, payload)),
    handler(deleteWebhook, ({ context, payload }) => deleteEndpoint(deps, context, payload.merchantId)),
    handler(rotateWebhookSecret, ({ context, payload }) => rotateSecret(deps, context, payload)),
    handler(activateWebhookSecret, ({ context, payload }) =>
      activateSecret(deps, context, payload.merchantId),
    ),
    handler(testWebhook, ({ context, payload }) => sendTestEvent(deps, context, payload.merchantId)),
    handler(listWebhookDeliveries, ({ payload }) => listDeliveries(deps, payload)),
    handler(getWebhookDelivery, ({ payload }) => getDelivery(deps, payload.eventId)),
    handler(redeliverWebhook, ({ context, payload }) => redeliver(deps, context, payload.eventId)),
    handler(redeliverFailedWebhooks, ({ context, payload }) => redeliverFailed(deps, context, payload)),
    handler(readWebhooksAuditLog, async ({ payload }) => ({
      outcome: "done",
      result: { entries: await readAuditEntriesBefore(deps.db, "webhooks", payload) },
    })),
    handler(findMissingEvents, async ({ payload: { eventIds } }) => {
      const keptSince = new Date(comparableSince(deps.clock.databaseNow(), deps.eventDays));
      const missing = await findMissing(deps.db, { eventIds, keptSince });
      return { outcome: "done", result: { missing, keptSince: keptSince.toISOString() } };
    }),
  ];
}
