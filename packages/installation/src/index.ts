export { configSchema as installationSchema, eventStreamSizesOf, keepStreamSchema } from "./config.ts";
export { AUDITOR } from "./auditor.ts";
export * from "./event-stream.ts";
export { natsGreeting } from "./nats-greeting.ts";
export * from "./provision-database.ts";
export * from "./stream-keeper.ts";
