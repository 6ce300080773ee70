export * from "./body-time.ts";
export * from "./client-address.ts";
export * from "./fair-room.ts";
export * from "./ranges-setting.ts";
export * from "./read-multipart.ts";
export * from "./served-certificate.ts";
export * from "./start-http-server.ts";
