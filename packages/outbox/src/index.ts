export * from "./confirm-events.ts";
export * from "./event-stream.ts";
export * from "./outbox-pool.ts";
export * from "./outbox-settings.ts";
export * from "./reconcile.ts";
export * from "./reconcile-command.ts";
export * from "./relay.ts";
