export * from "./card-sealer.ts";
export * from "./reply-sealer.ts";
