export * from "./describe-receipt.ts";
export * from "./forward-webhook.ts";
export * from "./receiver.ts";
