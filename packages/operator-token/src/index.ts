export * from "./claimed-subject.ts";
export * from "./operator-keys.ts";
export * from "./operator-token-settings.ts";
export * from "./operator-token.ts";
export * from "./staff-token-settings.ts";
export * from "./verify-operator-token.ts";
