export { natsGreeting } from "./nats-greeting.ts";
export * from "./provision-database.ts";
