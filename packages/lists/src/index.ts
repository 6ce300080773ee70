export * from "./list-pool.ts";
export * from "./list-statement.ts";
export * from "./plan-list.ts";
export * from "./read-movements.ts";
export * from "./read-list.ts";
