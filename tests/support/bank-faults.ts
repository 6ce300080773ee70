import { protocolNames, protocols, type BankTraits } from "@holdfast/bank-simulator";

type Played = { faults: Readonly<Record<string, readonly string[]>>; traits: BankTraits };

/** The faults and the traits of each played bank, as its simulator has them. */
const banks = new Map<string, Played>();
for (const name of protocolNames) banks.set(name, await protocols[name]());

export function faultsOf(protocol: string, operation: string): readonly string[] {
  const faults = banks.get(protocol)?.faults[operation];
  if (!faults) throw new Error(`${protocol} has no faults of ${operation}`);
  return faults;
}

/** @returns no traits for a name that no simulated bank has. */
export function traitsOf(protocol: string): BankTraits {
  return banks.get(protocol)?.traits ?? { falseReturns: [] };
}
