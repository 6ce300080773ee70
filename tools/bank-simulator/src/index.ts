import type { BankConfig, Simulator, StartOptions } from "./core/index.ts";
import { protocols, type ProtocolName } from "./protocols.ts";

export type { BankTraits, Simulator } from "./core/index.ts";
export { protocolNames, protocols, type ProtocolName } from "./protocols.ts";

/** The settings of a bank of a protocol. */
export type ConfigOf<Name extends ProtocolName> = ReturnType<
  Awaited<ReturnType<(typeof protocols)[Name]>>["readConfig"]
>;

/** Starts a bank in this process, on its own ledger file. */
export async function startBank<Name extends ProtocolName>(
  name: Name,
  options: StartOptions<ConfigOf<Name>>,
): Promise<Simulator> {
  const protocol = await protocols[name]();
  return await protocol.start(options);
}

/** Starts a bank of any protocol in this process, with the settings that its program reads from this environment. */
export async function startFromEnvironment(
  name: ProtocolName,
  environment: Record<string, string>,
  own: Pick<BankConfig, "machineNow"> = {},
): Promise<Simulator> {
  const { readConfig, start } = await protocols[name]();
  // Each starts with the configuration that it has read.
  const startRead: (config: BankConfig) => Promise<Simulator> = start;
  return await startRead({ ...readConfig(environment), ...own });
}
