import type { Simulator, StartOptions } from "./core/index.ts";
import { protocols, type ProtocolName } from "./protocols.ts";

export { placeOf, type Simulator } from "./core/index.ts";
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
