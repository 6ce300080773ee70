export * from "./audit-chain.ts";
export * from "./audit-forbidden.ts";
export * from "./audit-log.ts";
