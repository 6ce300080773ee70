import type { AuditDatabase } from "@holdfast/audit";
import type { EventSource, EventType, EventStatus, WebhookError, WebhookManagers } from "@holdfast/contracts";
import type { Generated } from "kysely";

/** Tables of the schema `webhooks`, as its migration creates them. */
export type WebhooksDatabase = AuditDatabase & {
  endpoint: EndpointTable;
  event: EventTable;
  outcome: OutcomeTable;
  attempt: AttemptTable;
  delivery: DeliveryTable;
  endpoint_health: EndpointHealthTable;
  poison: PoisonTable;
  merchant_setting: MerchantSettingTable;
  endpoint_hour: EndpointHourTable;
};

/** `waiting` and `skipping` are off: new deliveries wait, or are skipped. */
export type EndpointState = "on" | "waiting" | "skipping" | "removed";

export type EndpointTable = {
  /** The endpoint's id; for the default endpoint its merchant's id. */
  endpoint_id: string;
  merchant_id: string;
  url: string;
  state: Generated<EndpointState>;
  attempts_until: Date | null;
  max_in_flight: Generated<number>;
  secret: Buffer;
  secret_version: Generated<number>;
  next_secret: Buffer | null;
  next_version: number | null;
  activates_at: Date | null;
  secret_request_id: string;
  headers: Buffer | null;
  header_names: Generated<string[]>;
  events: Generated<EventType[]>;
  version: Generated<number>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
};

export type EventTable = {
  occurred_at: Date;
  event_id: string;
  source: EventSource | "webhooks";
  event_type: string;
  merchant_id: string;
  payment_id: string;
  status: EventStatus;
  body: Buffer;
  traceparent: string | null;
};

export type Outcome = "delivered" | "failed" | "skipped" | "cancelled";

export type OutcomeTable = {
  endpoint_id: string;
  occurred_at: Date;
  event_id: string;
  outcome: Outcome;
  resolved_at: Generated<Date>;
};

export type EndpointHealthTable = {
  endpoint_id: string;
  last_success_at: Date | null;
  last_failure_at: Date | null;
  failing_since: Date | null;
  breaker_open: boolean;
  reported_at: Date;
  /** The number of warnings of this outage that the merchant's other endpoints have got. */
  warnings: Generated<number>;
};

export type Trigger = "schedule" | "manual";

export type AttemptTable = {
  attempt_id: string;
  sent_at: Date;
  event_id: string;
  endpoint_id: string;
  trigger: Trigger;
  number: number | null;
  planned_at: Date;
  request_time: bigint;
  succeeded: boolean;
  status_code: number | null;
  error: WebhookError | null;
  duration_ms: number;
  remote_address: string | null;
  snippet: string | null;
  body_hash: Buffer;
  secret_version: number;
  next_version: number | null;
};

export type DeliveryTable = {
  delivery_id: Generated<string>;
  endpoint_id: string;
  event_id: string;
  occurred_at: Date;
  trigger: Generated<Trigger>;
  attempt: Generated<number>;
  due_at: Date;
  deadline_at: Date;
  lease_token: string | null;
  lease_until: Date | null;
};

export type MerchantSettingTable = {
  merchant_id: string;
  managed_by: WebhookManagers;
  updated_at: Generated<Date>;
};

export type EndpointHourTable = {
  endpoint_id: string;
  hour: Date;
  result: "answered" | WebhookError;
  duration_bucket: number;
  count: number;
};

export type PoisonTable = {
  poison_id: Generated<string>;
  received_at: Generated<Date>;
  subject: string;
  sequence: bigint;
  reason: string;
  data: Buffer;
  message_key: string;
};
