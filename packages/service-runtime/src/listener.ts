export * from "./listener/bound-connections.ts";
export * from "./listener/failed-handshakes.ts";
export * from "./listener/fair-room.ts";
export * from "./listener/network-of.ts";
export * from "./listener/prepare-tls.ts";
export * from "./listener/served-certificate.ts";
