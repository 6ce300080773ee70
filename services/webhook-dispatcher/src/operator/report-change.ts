import {
  WEBHOOK_DISABLED_WARNING,
  WEBHOOK_ENDPOINT_CHANGED,
  type WebhookEndpointChange,
  type WebhookWarning,
} from "@holdfast/contracts";
import type { Transaction } from "kysely";
import { recordOwnEvents, type OwnEvent } from "../accept/own-events.ts";
import type { Clock } from "../clock.ts";
import type { WebhooksDatabase } from "../database.ts";
import type { EndpointRow } from "../endpoint/endpoint-queries.ts";
import { changerOf, type AuditedContext } from "./audit-endpoint.ts";

/** Changes of an endpoint are reported to the merchant's other ones, in the transaction that makes them. */
export type ReportDeps = {
  clock: Pick<Clock, "shiftMs">;
  limits: {
    /** The time that an event is tried. */
    windowMs: number;
  };
};

type Reported = Pick<EndpointRow, "merchant_id" | "endpoint_id">;

/** Reports that an endpoint gets no events, or gets them again, and who has done it. */
export async function warnOthers(
  deps: ReportDeps,
  trx: Transaction<WebhooksDatabase>,
  context: AuditedContext,
  endpoint: Reported,
  reason: WebhookWarning["reason"],
): Promise<void> {
  const content = { reason, by: changerOf(context) };
  await report(deps, trx, endpoint, { type: WEBHOOK_DISABLED_WARNING, status: reason, content });
}

/** Reports any other change, and who has made it. */
export async function reportChange(
  deps: ReportDeps,
  trx: Transaction<WebhooksDatabase>,
  context: AuditedContext,
  endpoint: Reported,
  { change, fields }: Pick<WebhookEndpointChange, "change" | "fields">,
): Promise<void> {
  const content = { change, ...(fields && { fields }), by: changerOf(context) };
  await report(deps, trx, endpoint, { type: WEBHOOK_ENDPOINT_CHANGED, status: change, content });
}

type Report = Pick<OwnEvent, "type" | "status" | "content">;

async function report(
  { clock, limits: { windowMs } }: ReportDeps,
  trx: Transaction<WebhooksDatabase>,
  { merchant_id: merchantId, endpoint_id: endpointId }: Reported,
  { type, status, content }: Report,
): Promise<void> {
  const body = { endpointId, default: endpointId === merchantId, ...content };
  const event: OwnEvent = { merchantId, endpointId, type, status, content: body };
  await recordOwnEvents(trx, [event], { windowMs, shiftMs: clock.shiftMs });
}
