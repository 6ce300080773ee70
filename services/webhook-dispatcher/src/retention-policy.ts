import type { RetentionLine } from "@holdfast/service-runtime";

/** The time that each table of the schema `webhooks` is kept. `maintainPartitions` ends what has a setting, by day. */
export const retentionPolicy: RetentionLine[] = [
  {
    table: "event",
    kept: { setting: "WEBHOOK_EVENT_RETENTION_DAYS" },
    because:
      "It can be shown and sent again. A day with a pending delivery stays, and the owners' comparison goes back no further.",
  },
  {
    table: "outcome",
    kept: { with: "event" },
    because: "It says what became of the event at each endpoint.",
  },
  {
    table: "attempt",
    kept: { setting: "WEBHOOK_ATTEMPT_RETENTION_DAYS" },
    because: "Merchants and operators find out why a webhook did not arrive.",
  },
  { table: "event_default", kept: { with: "event" }, because: "It has events of days without a partition." },
  { table: "outcome_default", kept: { with: "event" }, because: "The same of outcomes." },
  { table: "attempt_default", kept: { with: "attempt" }, because: "The same of attempts." },
  {
    table: "delivery",
    kept: "in use",
    because:
      "It is deleted when it has ended, after two days at most; what waits for an endpoint that is off, with its event.",
  },
  {
    table: "poison",
    kept: { setting: "WEBHOOK_EVENT_RETENTION_DAYS" },
    because: "It shows what came and is no event, until a dispatcher that can accept it runs.",
  },
  { table: "endpoint", kept: "in use", because: "Merchants get their webhooks there." },
  {
    table: "merchant_setting",
    kept: "in use",
    because: "It says who may change the merchant's endpoints.",
  },
  {
    table: "endpoint_hour",
    kept: { with: "attempt" },
    because: "It says how an endpoint has done, hour by hour.",
  },
  { table: "endpoint_health", kept: { with: "endpoint" }, because: "It says how an endpoint does." },
  { table: "audit_entry", kept: "in use", because: "A hash chain is kept whole, or it proves nothing." },
];
