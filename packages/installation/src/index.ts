export * from "./provision-database.ts";
