import { BEFORE_EVERY_ENDPOINT, LAST_ENDPOINT, waitingEndpoints } from "./delivery/claim-statements.ts";

/**
 * Measures the age of the oldest due delivery, separately for endpoints with closed and with open circuit
 * breakers (as the sending dispatchers have reported lately). It also estimates the number of pending
 * deliveries, and counts the failing endpoints and the longest outage among them.
 */
export const MEASURE_STATE = `
  with recursive ${waitingEndpoints({ after: `'${BEFORE_EVERY_ENDPOINT}'::uuid`, until: `'${LAST_ENDPOINT}'::uuid`, now: "now()" })}, oldest as (
    select due.due_at, coalesce(health.breaker_open, false) as is_behind_breaker
    from waiting join endpoint on endpoint.endpoint_id = waiting.endpoint_id and endpoint.state = 'on'
    cross join lateral (
      select due_at from delivery
      where delivery.endpoint_id = waiting.endpoint_id and lease_token is null and trigger = 'schedule'
        and due_at <= now()
      order by due_at limit 1
    ) as due
      left join endpoint_health as health
        on health.endpoint_id = waiting.endpoint_id and health.reported_at > now() - interval '5 minutes'
  )
  , failing as (
    -- From the few that fail to their endpoints: a planner that has no statistics of so small a table would go the other way,
    -- through all endpoints.
    select failing_since from endpoint_health as health cross join lateral (
      select from endpoint where endpoint.endpoint_id = health.endpoint_id and state = 'on' limit 1) as theirs
    where failing_since is not null
  )
  select
    (select count(*)::int from failing) as endpoints_failing,
    coalesce((select extract(epoch from now() - min(failing_since)) * 1000 from failing), 0)::float8 as longest_failing_ms,
    coalesce((select extract(epoch from now() - min(due_at)) * 1000 from oldest where not is_behind_breaker), 0)::float8
      as oldest_due_age_ms,
    coalesce((select extract(epoch from now() - min(due_at)) * 1000 from oldest where is_behind_breaker), 0)::float8
      as behind_breaker_ms,
    (select greatest(reltuples, 0)::float8 from pg_class where oid = 'delivery'::regclass) as pending`;
