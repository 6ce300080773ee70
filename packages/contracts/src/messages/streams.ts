/** JetStream's stream and its consumer, by name. The stream is a transport: the outboxes are the record. */

/** All services' events. */
export const EVENT_STREAM = { name: "EVENTS", subjects: ["events.>"] } as const;

/** The webhook dispatchers' place in the stream, shared by all of them. */
export const WEBHOOK_CONSUMER = "webhook-dispatcher";
