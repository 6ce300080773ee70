export * from "./card-sealer.ts";
