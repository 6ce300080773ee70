import { durationSetting, integerSetting } from "@holdfast/service-runtime";

/** Settings of a service that has an outbox. */
export const outboxSettings = {
  OUTBOX_REPUBLISH_AFTER: durationSetting()
    .default(60_000)
    .describe(
      "An event that is still unconfirmed after this time is published again; each further wait doubles. The first copy of a payment's final state comes after 10 seconds, if this is longer: its process publishes it from memory, and may have died before.",
    ),
  OUTBOX_REPUBLISH_RATE_MAX: integerSetting(1, 100_000)
    .default(500)
    .describe("Events that are published again in one second, at most."),
  OUTBOX_POLL_INTERVAL: durationSetting()
    .default(30_000)
    .describe(
      "How often the relay looks in the outbox for events that nobody has published, because their process died, and for those that are to be published again; what this process records leaves immediately. For 20 seconds after its start, and after an event that its process has committed, it looks every 10 seconds, if this is longer.",
    ),
  OUTBOX_RECONCILE_INTERVAL: durationSetting()
    .default(300_000)
    .describe("How often the service's events are compared with those that the dispatcher has."),
  OUTBOX_RETENTION: durationSetting({ min: "3d" })
    .default(30 * 86_400_000)
    .describe(
      "How long an event that the dispatcher has confirmed is kept: what a dispatcher has lost can be sent again for as long. One that is not confirmed is kept.",
    ),
};

export type OutboxSettings = {
  OUTBOX_REPUBLISH_AFTER: number;
  OUTBOX_REPUBLISH_RATE_MAX: number;
  OUTBOX_POLL_INTERVAL: number;
  OUTBOX_RECONCILE_INTERVAL: number;
  OUTBOX_RETENTION: number;
};
