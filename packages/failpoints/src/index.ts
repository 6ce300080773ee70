export * from "./failpoint.ts";
