export * from "./config.ts";
export * from "./health.ts";
export * from "./lifecycle.ts";
export * from "./logger.ts";
export * from "./migrate.ts";
export * from "./migration-command.ts";
export * from "./natural-batcher.ts";
export * from "./postgres.ts";
