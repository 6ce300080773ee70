export { configSchema as installationSchema } from "./config.ts";
export { AUDITOR } from "./auditor.ts";
export { natsGreeting } from "./nats-greeting.ts";
export * from "./provision-database.ts";
