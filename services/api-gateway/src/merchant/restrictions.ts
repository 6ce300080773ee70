import proxyAddr from "proxy-addr";

/** Restrictions that a credential was issued with. */
export type Restrictions = {
  /** The time from which it authenticates nobody. */
  expiresAt?: Date | undefined;
  /** Ranges of the addresses that it may be used from; without them, any. */
  addresses?: readonly string[] | undefined;
};

/** True if a credential may be used from an address now. */
export type MayUse = (address: string, nowMs: number) => boolean;

export function mayUse({ expiresAt, addresses }: Restrictions): MayUse {
  const isFrom = addresses && proxyAddr.compile([...addresses]);
  return (address, nowMs) => (!expiresAt || nowMs < expiresAt.getTime()) && (!isFrom || isFrom(address, 0));
}
