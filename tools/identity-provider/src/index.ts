export * from "./config.ts";
export * from "./start-identity-provider.ts";
