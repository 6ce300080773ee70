export * from "./check-webhooks.ts";
export * from "./ledger-receiver.ts";
