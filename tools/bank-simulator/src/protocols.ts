/** The protocols that the simulator plays. Nothing outside of a protocol's folder names it but this list. */
export const protocols = {
  sim: async () => (await import("./protocols/sim/index.ts")).protocol,
  nestpay: async () => (await import("./protocols/nestpay/index.ts")).protocol,
  iyzico: async () => (await import("./protocols/iyzico/index.ts")).protocol,
  akbank: async () => (await import("./protocols/akbank/index.ts")).protocol,
  garanti: async () => (await import("./protocols/garanti/index.ts")).protocol,
  posnet: async () => (await import("./protocols/posnet/index.ts")).protocol,
} as const;

export type ProtocolName = keyof typeof protocols;
export const protocolNames = Object.keys(protocols) as ProtocolName[];
