import type { EventSource, FinalStatus } from "@holdfast/contracts";
import { unnested } from "@holdfast/service-runtime";
import { leasedColumns } from "../delivery/claim-statements.ts";

/** One event to accept. */
export type GivenEvent = {
  event_id: string;
  source: EventSource;
  event_type: string;
  merchant_id: string;
  payment_id: string;
  status: FinalStatus;
  body: Buffer;
  traceparent: string | null;
  /** Whether its delivery may be leased immediately. */
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

/** @returns `LeasedDeliveryRow`s; one that was not leased has a `lease_token` of null. */
export const ACCEPT = {
  name: "accept-events",
  text: `
  with given as (
    select distinct on (event_id) *, uuid_extract_timestamp(event_id) as occurred_at
    from ${unnested(GIVEN_COLUMNS, 4)}
    order by event_id, lease desc
  ), accepted as (
    insert into event (occurred_at, ${EVENT_NAMES}, accepted_at)
    select occurred_at, ${EVENT_NAMES}, ${NOW} from given
    on conflict (occurred_at, event_id) do nothing
    returning occurred_at, event_id, merchant_id
  ), skipped as (
    insert into outcome (occurred_at, event_id, outcome, resolved_at)
    select occurred_at, event_id, 'skipped', ${NOW} from accepted
    where not exists (select from endpoint where endpoint.merchant_id = accepted.merchant_id and enabled)
  ), due as (
    insert into delivery (event_id, occurred_at, merchant_id, due_at, deadline_at, lease_token, lease_until)
    select accepted.event_id, accepted.occurred_at, accepted.merchant_id, ${NOW}, accepted.occurred_at + $2::float8 * ${MS},
      case when given.lease then gen_random_uuid() end, case when given.lease then ${NOW} + $1::float8 * ${MS} end
    from accepted join given using (event_id) join endpoint on endpoint.merchant_id = accepted.merchant_id
    where endpoint.enabled
    returning *
  )
  select ${leasedColumns({
    delivery_id: "due.delivery_id",
    lease_token: "due.lease_token",
    event_id: "due.event_id",
    event_type: "given.event_type",
    occurred_at: "due.occurred_at",
    merchant_id: "due.merchant_id",
    payment_id: "given.payment_id",
    status: "given.status",
    body: "given.body",
    traceparent: "given.traceparent",
    trigger: "due.trigger",
    attempt: "due.attempt",
    due_at: "due.due_at",
    deadline_at: "due.deadline_at",
  })}
  from due join given using (event_id) join endpoint on endpoint.merchant_id = due.merchant_id`,
};
