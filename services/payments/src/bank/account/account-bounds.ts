import { addressesIn, isAtBank, type BankHosts } from "@holdfast/acquirer";
import { isLive, type FieldFault } from "@holdfast/contracts";

/** The accounts that an installation may have. Those outside are refused when they are proposed, and are not used. */
export type AccountBounds = {
  hosts: BankHosts;
  /** Lets live payments go to the simulator. */
  liveSimulator: boolean;
};

/** The bounds that an account is outside of. @param account with its settings as its protocol's schema gives them. */
export function faultsOfBounds(
  { hosts, liveSimulator }: AccountBounds,
  { accountId, protocol, settings }: { accountId: string; protocol: string; settings: object },
): FieldFault[] {
  const isLiveSimulator = protocol === SIMULATOR && isLive(accountId);
  const elsewhere = addressesIn(settings).filter(([, url]) => !isAtBank(hosts, url));
  return [
    ...(isLiveSimulator && !liveSimulator
      ? [
          notAllowed(
            "protocol",
            "is the simulator's, to which live payments go only with ALLOW_SIMULATOR=live",
          ),
        ]
      : []),
    ...elsewhere.map(([name]) => notAllowed(`settings.${name}`, "must be at a host of ACQUIRER_HOSTS")),
  ];
}

/** The protocol of our own simulator, which moves no money. */
export const SIMULATOR = "sim";

function notAllowed(field: string, message: string): FieldFault {
  return { field, code: "not_allowed", message };
}
