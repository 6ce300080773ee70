export * from "./connect.ts";
export { natsUsersConfig, passwordVariable } from "./nats-users-config.ts";
export * from "./log-handled.ts";
export * from "./notices.ts";
export { ServingRefusedError } from "./queue-group.ts";
export * from "./request.ts";
export * from "./serve.ts";
export { TRACEPARENT_HEADER } from "./wire.ts";
export * from "./messaging-attributes.ts";
