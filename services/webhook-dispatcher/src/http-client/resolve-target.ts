import { Resolver } from "node:dns/promises";
import { startPatientTimer } from "./patient-timer.ts";
import { mayBeCalled } from "./public-address.ts";
import type { TargetRules, WebhookTarget } from "./webhook-target.ts";

/**
 * The addresses of a name, alternating between families, IPv4 first; rejects, or is empty, if there are none.
 */
export type Lookup = (name: string) => Promise<string[]>;

/**
 * The addresses to call, each of them checked. A name with even one forbidden address is refused: the address
 * that is connected to must not depend on luck. The connection uses exactly these addresses; nothing is
 * looked up twice.
 */
export async function resolveTarget(
  { host, isAddress }: WebhookTarget,
  lookup: Lookup,
  { allowedCidrs }: TargetRules,
): Promise<string[] | "dns" | "blocked"> {
  if (isLocalhost(host)) {
    const own = LOOPBACK.filter((address) => mayBeCalled(address, allowedCidrs));
    return own.length > 0 ? own : "blocked";
  }
  const addresses = isAddress ? [host] : await lookup(host).catch(() => []);
  if (addresses.length === 0) return "dns";
  return addresses.every((address) => mayBeCalled(address, allowedCidrs)) ? addresses : "blocked";
}

/** RFC 6761: a localhost name is this machine and is never sent to a DNS server. */
function isLocalhost(name: string): boolean {
  return /(^|\.)localhost\.?$/i.test(name);
}

const LOOPBACK = ["127.0.0.1", "::1"];

/**
 * Asks DNS servers directly and side by side. The system's resolver has four threads for the whole process: a
 * few names whose servers do not answer would delay every merchant's webhooks. Some servers answer for one
 * address family only. The other family is waited for a moment (RFC 8305, 3), and afterwards the addresses
 * that have arrived are used.
 */
export function createLookup({
  servers,
  timeoutMs,
}: {
  servers?: string[] | undefined;
  timeoutMs: number;
}): Lookup {
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / (TRIES + 1)), tries: TRIES });
  if (servers) resolver.setServers(servers);
  return async (name) => {
    const families: [string[], string[]] = [[], []];
    const isOver = Promise.withResolvers<void>();
    let callOff = startPatientTimer(timeoutMs, isOver.resolve);
    let open = families.length;
    const arrived = (family: number, addresses: string[]) => {
      families[family] = addresses;
      open--;
      if (open === 0 || addresses.length === 0) return;
      callOff();
      callOff = startPatientTimer(RESOLUTION_DELAY_MS, isOver.resolve);
    };
    const asking = [resolver.resolve4(name), resolver.resolve6(name)].map((asked, family) =>
      asked.then(
        (addresses) => arrived(family, addresses),
        () => arrived(family, []),
      ),
    );
    await Promise.race([Promise.all(asking), isOver.promise]);
    callOff();
    return inTurn(families);
  };
}

/** A query that is lost is sent again, to the next server if there is one. */
const TRIES = 3;
const RESOLUTION_DELAY_MS = 50;

/** Interleaves the families (RFC 8305, 4), so that dead addresses of one do not delay the other. */
function inTurn([first, second]: [string[], string[]]): string[] {
  const longest = Math.max(first.length, second.length);
  return Array.from({ length: longest }, (_, index) => [first[index], second[index]])
    .flat()
    .filter((address) => address !== undefined);
}
