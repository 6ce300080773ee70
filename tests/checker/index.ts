export * from "./check-webhooks.ts";
