import { z } from "zod";

/**
 * The addresses in an account's settings, with the protocol's name for each. The address for payments comes
 * first.
 */
export function addressesIn(settings: object): [name: string, url: URL][] {
  return Object.entries(settings).flatMap(([name, value]) => {
    const url = typeof value === "string" ? URL.parse(value) : null;
    return url && /^https?:$/.test(url.protocol) ? [[name, url] as [string, URL]] : [];
  });
}

/** The hosts at which banks may be, in lower case: whole names, and suffixes that begin with a dot. */
export type BankHosts = ReadonlySet<string>;

/**
 * True if an address is at one of the hosts. A suffix matches every name below it, and not the suffix itself.
 */
export function isAtBank(hosts: BankHosts, { hostname }: URL): boolean {
  return hosts.has(hostname) || [...hosts].some((host) => host.startsWith(".") && hostname.endsWith(host));
}

/** Hosts separated by commas. A suffix has two parts at least: a whole top-level domain is nobody's bank. */
export function bankHostsSetting() {
  const error =
    "must be hosts and suffixes separated by commas, such as sanalpos.bank.example,.est3dgate.example";
  return z.string({ error }).transform((value, context): BankHosts => {
    const hosts = value.split(",").map((host) => host.trim().toLowerCase());
    if (hosts.every((host) => HOST.test(host))) return new Set(hosts);
    context.addIssue({ code: "custom", message: error });
    return z.NEVER;
  });
}

const HOST = /^([a-z0-9-]+(\.[a-z0-9-]+)*|(\.[a-z0-9-]+){2,}|\[[0-9a-f:.]+\])$/;
