// The ports that people type. Everything else in the sandbox listens on ports chosen at random.
import { bankProtocols, type BankProtocol } from "./banks.ts";
import { freePort, isPortFree } from "./infrastructure/index.ts";

export type Ports = {
  merchantApi: number;
  operatorApi: number;
  publicPages: number;
  acquirerSimulator: number;
  console: number;
  identityProvider: number;
  staffApi: number;
  banks: Map<BankProtocol, number>;
};

/**
 * The ports from `portBase` upwards, or free ones for 0. A bank's place does not depend on which others run beside it.
 * @throws where one of them cannot be had.
 */
export async function choosePorts(portBase: number, banks: readonly BankProtocol[]): Promise<Ports> {
  const port = async (offset: number, use: string) => {
    if (portBase === 0) return freePort();
    await refuseTaken(portBase + offset, use);
    return portBase + offset;
  };
  const ports: Ports = {
    merchantApi: await port(0, "merchant API"),
    operatorApi: await port(1, "operator API"),
    publicPages: await port(2, "public pages"),
    acquirerSimulator: await port(3, "acquirer simulator"),
    console: await port(10, "console"),
    identityProvider: await port(11, "identity provider"),
    staffApi: await port(12, "staff API"),
    banks: new Map(),
  };
  for (const bank of banks) {
    ports.banks.set(bank, await port(4 + bankProtocols.indexOf(bank), `${bank} simulator`));
  }
  return ports;
}

async function refuseTaken(port: number, use: string): Promise<void> {
  const fault = await isPortFree(port).then(
    (free) => (free ? undefined : "is in use"),
    (error: NodeJS.ErrnoException) => `cannot be used (${error.code})`,
  );
  if (fault)
    throw new Error(`port ${port} (${use}) ${fault}: choose others with --port-base N, or 0 for free ones`);
}
