import { durationSetting, integerSetting } from "@holdfast/service-runtime";

/** Settings of the event stream, for every service that publishes to it or reads from it. */
export const eventStreamSettings = {
  /** Copies of the stream: 3 in production, 1 where there is one server. */
  EVENT_STREAM_REPLICAS: integerSetting(1, 5).default(1),
  /** Beyond it the oldest events leave the stream; what was not confirmed is published again. */
  EVENT_STREAM_BYTES_MAX: integerSetting(1_048_576, 999_999_999).default(268_435_456),
};

/** Settings of a service that has an outbox. */
export const outboxSettings = {
  ...eventStreamSettings,
  /** An event that nobody has confirmed by then is published again; the next time takes twice as long, and so on. */
  OUTBOX_REPUBLISH_AFTER: durationSetting().default(60_000),
  /** Events published again in a second, all in all. */
  OUTBOX_REPUBLISH_RATE_MAX: integerSetting(1, 100_000).default(500),
  /** How often the relay looks for new events when nobody has told it of one. */
  OUTBOX_POLL_INTERVAL: durationSetting().default(25),
  /** How often owner and dispatcher are compared. */
  OUTBOX_RECONCILE_INTERVAL: durationSetting().default(300_000),
};

export type OutboxSettings = {
  EVENT_STREAM_REPLICAS: number;
  EVENT_STREAM_BYTES_MAX: number;
  OUTBOX_REPUBLISH_AFTER: number;
  OUTBOX_REPUBLISH_RATE_MAX: number;
  OUTBOX_POLL_INTERVAL: number;
  OUTBOX_RECONCILE_INTERVAL: number;
};
