/** JetStream's streams and consumers, by name. The stream is a transport: the outboxes are the record. */

/** All services' events. */
export const EVENT_STREAM = { name: "EVENTS", subjects: ["events.>"] } as const;

/** The webhook dispatchers' place in the stream, shared by all of them. */
export const WEBHOOK_CONSUMER = "webhook-dispatcher";

/** The settlement services' place, for their own copy of the movements of money. */
export const SETTLEMENT_CONSUMER = "settlement";

/** Every consumer that the installation makes. */
export const EVENT_CONSUMERS = [WEBHOOK_CONSUMER, SETTLEMENT_CONSUMER] as const;
export type EventConsumerName = (typeof EVENT_CONSUMERS)[number];
