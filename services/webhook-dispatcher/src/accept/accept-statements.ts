import type { EventSource, EventStatus } from "@holdfast/contracts";
import { unnested } from "@holdfast/postgres";
import { leasedColumns } from "../delivery/claim-statements.ts";
import { NEW_LEASE_TOKEN } from "../delivery/lease-holder-statements.ts";

/** One event to accept. */
export type GivenEvent = {
  event_id: string;
  /** The publisher: the dispatcher itself for its own events. */
  source: EventSource | "webhooks";
  event_type: string;
  merchant_id: string;
  /** The subject of the event; of a warning it is the endpoint. */
  payment_id: string;
  status: EventStatus;
  body: Buffer;
  traceparent: string | null;
  /** True if its delivery may be leased immediately. */
  lease: boolean;
};

/** Columns of the statement's arrays, in the order of its parameters after `$1` lease, `$2` window and `$3` shift. */
export const GIVEN_COLUMNS = [
  ["event_id", "uuid"],
  ["source", "text"],
  ["event_type", "text"],
  ["merchant_id", "uuid"],
  ["payment_id", "uuid"],
  ["status", "text"],
  ["body", "bytea"],
  ["traceparent", "text"],
  ["lease", "boolean"],
] as const satisfies [keyof GivenEvent, string][];

const NOW = "(now() + $3::float8 * interval '1 millisecond')";
const MS = "interval '1 millisecond'";

const EVENT_NAMES = GIVEN_COLUMNS.map(([column]) => column)
  .filter((column) => column !== "lease")
  .join(", ");

/**
 * Accepts events. The default endpoint's delivery may be leased in this statement. Deliveries to other
 * endpoints are left for a claim, since this statement first finds out which of them subscribe to the event.
 * One part selects by another's ids with `in`, which hashes; a join would compare each row with each
 * (docs/adr/0003).
 *
 * @returns `LeasedDeliveryRow`s without the given columns; `lease_token` is null for a delivery that was not
 * leased.
 */
export const ACCEPT = {
  name: "accept-events",
  text: `
  with given as (
    select distinct on (event_id) *, uuid_extract_timestamp(event_id) as occurred_at
    from ${unnested(GIVEN_COLUMNS, 4)}
    order by event_id, lease desc
  ), accepted as (
    insert into event (occurred_at, ${EVENT_NAMES})
    select occurred_at, ${EVENT_NAMES} from given
    on conflict (occurred_at, event_id) do nothing
    returning occurred_at, event_id, event_type, merchant_id, payment_id
  ), wanted as (
    select accepted.*, endpoint.endpoint_id, accepted.occurred_at + $2::float8 * ${MS} as deadline_at,
      endpoint.state, endpoint.state = 'on' and endpoint_id = merchant_id
        and accepted.event_id in (select event_id from given where lease) as leased
    from accepted join endpoint using (merchant_id)
    where endpoint.state <> 'removed' and accepted.event_type = any(endpoint.events)
      -- What is said about an endpoint is said at the others.
      and endpoint.endpoint_id <> accepted.payment_id
  ), skipped as (
    insert into outcome (endpoint_id, occurred_at, event_id, outcome, resolved_at)
    select merchant_id, occurred_at, event_id, 'skipped', ${NOW} from accepted
    where event_id not in (select event_id from wanted where endpoint_id = merchant_id)
    union all
    select endpoint_id, occurred_at, event_id, 'skipped', ${NOW} from wanted where state = 'skipping'
  ), due as (
    insert into delivery (event_id, occurred_at, endpoint_id, due_at, deadline_at, lease_token, lease_until)
    select event_id, occurred_at, endpoint_id, ${NOW}, deadline_at,
      case when leased then ${NEW_LEASE_TOKEN} end, case when leased then ${NOW} + $1::float8 * ${MS} end
    from wanted where state <> 'skipping'
    returning *
  )
  select ${leasedColumns({
    delivery_id: "due.delivery_id",
    lease_token: "due.lease_token",
    event_id: "due.event_id",
    occurred_at: "due.occurred_at",
    trigger: "due.trigger",
    attempt: "due.attempt",
    due_at: "due.due_at",
    deadline_at: "due.deadline_at",
  })}
  from due join endpoint using (endpoint_id)
  where endpoint.state = 'on'`,
};
