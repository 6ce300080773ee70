export * from "./webhooks/check-webhooks.ts";
