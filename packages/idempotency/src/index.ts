export * from "./answer-repetition.ts";
export * from "./await-first.ts";
export * from "./decide-replay.ts";
export * from "./fingerprint-request.ts";
export * from "./idempotency-key-queries.ts";
export * from "./idempotency-key-table.ts";
