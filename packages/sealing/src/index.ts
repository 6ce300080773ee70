export * from "./card-sealer.ts";
export * from "./reply-sealer.ts";
export * from "./seal-at-rest.ts";
