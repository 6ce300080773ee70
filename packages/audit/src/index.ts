export * from "./audit-chain.ts";
export * from "./audit-log.ts";
