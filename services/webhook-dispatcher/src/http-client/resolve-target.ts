import { Resolver } from "node:dns/promises";
import { mayBeCalled } from "./public-address.ts";
import type { TargetRules, WebhookTarget } from "./webhook-target.ts";

/** All addresses of a name, IPv4 first; rejects, or is empty, when it has none. */
export type Lookup = (name: string) => Promise<string[]>;

/**
 * The addresses to call, each of them checked. A name with even one address that may not be called is refused: which of
 * them is connected to must not be a matter of luck. The addresses are the ones connected to; nothing is looked up
 * twice.
 */
export async function resolveTarget(
  { host, isAddress }: WebhookTarget,
  lookup: Lookup,
  { allowedCidrs }: TargetRules,
): Promise<string[] | "dns" | "blocked"> {
  const addresses = isAddress ? [host] : await lookup(host).catch(() => []);
  if (addresses.length === 0) return "dns";
  return addresses.every((address) => mayBeCalled(address, allowedCidrs)) ? addresses : "blocked";
}

/**
 * Asks DNS servers directly and side by side. The system's resolver has four threads for the whole process: a few names
 * whose servers do not answer would delay every merchant's webhooks.
 */
export function createLookup({
  servers,
  timeoutMs,
}: {
  servers?: string[] | undefined;
  timeoutMs: number;
}): Lookup {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
  if (servers) resolver.setServers(servers);
  return async (name) => {
    if (isLocalhost(name)) return ["127.0.0.1"];
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  };
}

/** RFC 6761: a localhost name is this machine and is never sent to a DNS server. */
function isLocalhost(name: string): boolean {
  return /(^|\.)localhost\.?$/i.test(name);
}
