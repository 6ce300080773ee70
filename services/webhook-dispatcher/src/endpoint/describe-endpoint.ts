import type { WebhookEndpoint } from "@holdfast/contracts";
import type { EndpointRow } from "./endpoint-queries.ts";
import { signingSecrets } from "./endpoint-secrets.ts";
import type { StoredHealth } from "./health-queries.ts";
import { keptUntil } from "../retention.ts";

export type DescribedBy = {
  /** The database's clock. */
  now: Date;
  /** Days that events are kept. */
  eventDays: number;
};

/** An endpoint as operators and its merchant see it, without its secrets. */
export function describeEndpoint(
  endpoint: EndpointRow,
  health: StoredHealth | undefined,
  { now, eventDays }: DescribedBy,
): WebhookEndpoint {
  const { current, next } = signingSecrets(endpoint, now);
  return {
    endpointId: endpoint.endpoint_id,
    default: endpoint.endpoint_id === endpoint.merchant_id,
    url: endpoint.url,
    events: endpoint.events,
    ...(endpoint.header_names.length > 0 && {
      headers: endpoint.header_names.map((name) => ({ name })),
    }),
    version: endpoint.version,
    enabled: endpoint.state === "on",
    waitingCount: health?.waiting_count ?? 0,
    ...(endpoint.state !== "on" && {
      whileOff: endpoint.state === "waiting" ? "wait" : "skip",
      ...(health?.waits_since && {
        waitingUntil: new Date(keptUntil(health.waits_since.getTime(), eventDays)).toISOString(),
      }),
    }),
    createdAt: endpoint.created_at.toISOString(),
    secretVersion: current.version,
    ...(next && { nextSecretVersion: next.version }),
    ...(next && endpoint.activates_at && { activatesAt: endpoint.activates_at.toISOString() }),
    health: {
      breaker: health?.breaker_open ? "open" : "closed",
      ...timesOf(health),
    },
  };
}

function timesOf(health: StoredHealth | undefined) {
  const times = {
    lastSuccessAt: health?.last_success_at,
    lastFailureAt: health?.last_failure_at,
    failingSince: health?.failing_since,
    oldestDueAt: health?.oldest_due_at,
  };
  return Object.fromEntries(
    Object.entries(times).flatMap(([name, time]) => (time ? [[name, time.toISOString()]] : [])),
  ) as Partial<Record<keyof typeof times, string>>;
}
