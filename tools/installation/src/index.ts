export { configSchema as installationSchema, eventStreamSizesOf, keepStreamSchema } from "./config.ts";
export { AUDITOR } from "./database/auditor.ts";
export * from "./stream/event-stream.ts";
export { natsGreeting } from "./stream/nats-greeting.ts";
export * from "./database/provision-database.ts";
export * from "./stream/stream-keeper.ts";
