import { protocolNames, protocols } from "@holdfast/bank-simulator";

/** The faults of each played bank, as its simulator lists them. */
const tables = new Map<string, Readonly<Record<string, readonly string[]>>>();
for (const name of protocolNames) tables.set(name, (await protocols[name]()).faults);

export function faultsOf(protocol: string, operation: string): readonly string[] {
  const faults = tables.get(protocol)?.[operation];
  if (!faults) throw new Error(`${protocol} has no faults of ${operation}`);
  return faults;
}
