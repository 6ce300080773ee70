import { FAILING_WEBHOOKS_MAX, isLive, merchantIdOf, type failingWebhookSchema } from "@holdfast/contracts";
import type { CommandReply } from "@holdfast/contracts";
import { sql, type Kysely } from "kysely";
import type { z } from "zod";
import type { Clock } from "../clock.ts";
import type { WebhooksDatabase } from "../database.ts";
import { describeEndpoint, type DescribedBy } from "../endpoint/describe-endpoint.ts";
import type { EndpointRow } from "../endpoint/endpoint-queries.ts";
import type { StoredHealth } from "../endpoint/health-queries.ts";

type FailingWebhook = z.infer<typeof failingWebhookSchema>;

/** The endpoints of all merchants that fail, the one that has failed longest first, and why. */
export async function listFailing({
  db,
  clock,
  limits: { eventDays },
}: {
  db: Kysely<WebhooksDatabase>;
  clock: Pick<Clock, "databaseNow">;
  limits: { eventDays: number };
}): Promise<CommandReply<{ items: FailingWebhook[]; total: number }>> {
  const { rows } = await readFailing.execute(db);
  const terms = { now: new Date(clock.databaseNow()), eventDays };
  return {
    outcome: "done",
    result: { items: rows.map((row) => describe(row, terms)), total: rows[0]?.total ?? 0 },
  };
}

type FailingRow = EndpointRow &
  StoredHealth & { total: number; error: string | null; status_code: number | null };

/** The reason comes from the event that has waited longest: the others may never have been attempted. */
const readFailing = sql<FailingRow>`
  select endpoint.*, health.*, latest.error, latest.status_code, count(*) over ()::int4 as total,
    case when oldest.due_at <= now() then oldest.due_at end as oldest_due_at
  from endpoint_health as health
    join endpoint on endpoint.endpoint_id = health.endpoint_id
    left join lateral (
      select event_id, due_at from delivery
      where delivery.endpoint_id = health.endpoint_id and lease_token is null and trigger = 'schedule'
      order by due_at limit 1
    ) as oldest on true
    left join lateral (
      select error, status_code from attempt
      where attempt.event_id = oldest.event_id and attempt.endpoint_id = endpoint.endpoint_id
      order by sent_at desc limit 1
    ) as latest on true
  where endpoint.state = 'on' and (health.failing_since is not null or health.breaker_open)
  order by health.failing_since nulls last, endpoint.endpoint_id
  limit ${sql.lit(FAILING_WEBHOOKS_MAX)}`;

function describe(row: FailingRow, terms: DescribedBy): FailingWebhook {
  const { endpointId, default: isDefault, url, health } = describeEndpoint(row, row, terms);
  return {
    merchantId: merchantIdOf(row.merchant_id),
    livemode: isLive(row.merchant_id),
    endpointId,
    default: isDefault,
    url,
    health,
    ...(row.error !== null && { lastError: row.error as FailingWebhook["lastError"] }),
    ...(row.status_code !== null && { lastStatusCode: row.status_code }),
  };
}
