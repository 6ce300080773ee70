export * from "./audit-chain.ts";
export * from "./audit-forbidden.ts";
export * from "./audit-head.ts";
export * from "./audit-log.ts";
export * from "./audit-settings.ts";
export * from "./staff-of.ts";
export * from "./verify-audit-command.ts";
export * from "./watch-audit-head.ts";
