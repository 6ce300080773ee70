export * from "./choose-language.ts";
export * from "./design-tokens.ts";
export * from "./draw-logo.ts";
export * from "./html.ts";
export * from "./keep-formatters.ts";
