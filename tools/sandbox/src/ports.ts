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

/** The places of everything but the banks, above the first port. */
const PLACES = {
  merchantApi: 0,
  operatorApi: 1,
  publicPages: 2,
  acquirerSimulator: 3,
  console: 10,
  identityProvider: 11,
  staffApi: 12,
} as const;

/** A bank's place, by its index in the list: between the acquirer simulator and the console, or above all others. */
export function placeOfBank(index: number): number {
  const place = PLACES.acquirerSimulator + 1 + index;
  return place < PLACES.console ? place : place - PLACES.console + PLACES.staffApi + 1;
}

/** The highest place that anything has. */
export const PLACE_MAX = Math.max(PLACES.staffApi, placeOfBank(bankProtocols.length - 1));

/**
 * The ports from `portBase` upwards, or free ones for 0. A bank's port does not depend on the other banks
 * that run beside it.
 * @throws if one of the ports is taken.
 */
export async function choosePorts(portBase: number, banks: readonly BankProtocol[]): Promise<Ports> {
  const port = async (place: number, use: string) => {
    if (portBase === 0) return freePort();
    await refuseTaken(portBase + place, use);
    return portBase + place;
  };
  const ports: Ports = {
    merchantApi: await port(PLACES.merchantApi, "merchant API"),
    operatorApi: await port(PLACES.operatorApi, "operator API"),
    publicPages: await port(PLACES.publicPages, "public pages"),
    acquirerSimulator: await port(PLACES.acquirerSimulator, "acquirer simulator"),
    console: await port(PLACES.console, "console"),
    identityProvider: await port(PLACES.identityProvider, "identity provider"),
    staffApi: await port(PLACES.staffApi, "staff API"),
    banks: new Map(),
  };
  for (const bank of banks) {
    ports.banks.set(bank, await port(placeOfBank(bankProtocols.indexOf(bank)), `${bank} simulator`));
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
