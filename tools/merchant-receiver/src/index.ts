export * from "./describe-receipt.ts";
export * from "./receiver.ts";
