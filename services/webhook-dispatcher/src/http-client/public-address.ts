import type { BlockList } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * True if an address may be called: it is public, or in a range that the configuration allows. IPv4 addresses in
 * IPv6 form (`::ffff:127.0.0.1`) are judged as IPv4.
 *
 * @param address as the system prints it, without brackets.
 */
export function mayBeCalled(address: string, allowed: BlockList): boolean {
  const parsed = unwrap(address);
  if (!parsed) return false;
  if (allowed.check(parsed.toString(), parsed.kind())) return true;
  return parsed instanceof ipaddr.IPv4 ? !inAny(parsed, NOT_PUBLIC_V4) : isPublicV6(parsed);
}

function unwrap(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (!ipaddr.isValid(address)) return undefined;
  const parsed = ipaddr.parse(address);
  return parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() ? parsed.toIPv4Address() : parsed;
}

/** Outside of 2000::/3 nothing is public: loopback, link-local, unique local, multicast, NAT64 (64:ff9b::/96). */
function isPublicV6(address: ipaddr.IPv6): boolean {
  return address.match(ipaddr.IPv6.parseCIDR("2000::/3")) && !inAny(address, NOT_PUBLIC_V6);
}

function inAny<Address extends { match(base: Address, prefix: number): boolean }>(
  address: Address,
  ranges: [Address, number][],
): boolean {
  return ranges.some(([base, prefix]) => address.match(base, prefix));
}

/** The IANA's special-purpose registry, and the address at which one cloud serves its metadata. */
const NOT_PUBLIC_V4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
  "168.63.129.16/32",
].map((range) => ipaddr.IPv4.parseCIDR(range));

/** Within 2000::/3: protocol assignments (Teredo among them), documentation, and 6to4, which hides an IPv4 address. */
const NOT_PUBLIC_V6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"].map((range) =>
  ipaddr.IPv6.parseCIDR(range),
);
