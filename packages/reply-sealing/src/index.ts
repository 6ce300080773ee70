export * from "./reply-sealer.ts";
