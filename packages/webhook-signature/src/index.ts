export * from "./sign-webhook.ts";
export * from "./verify-webhook.ts";
