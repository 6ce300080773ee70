import { isIPv4, isIPv6, SocketAddress } from "node:net";

/** One client: an IPv4 address, or an IPv6 /64, since one host has all addresses of it. */
export function networkOf(address: string): string {
  // Most addresses are IPv4, every request comes by here, and Node accepts one spelling only.
  if (isIPv4(address)) return address;
  const [withoutZone = ""] = address.split("%");
  if (!isIPv6(withoutZone)) return "unknown";
  const spelling = new SocketAddress({ address: withoutZone, family: "ipv6" }).address;
  const mapped = spelling.replace(/^::ffff:/, "");
  if (isIPv4(mapped)) return mapped;
  const [head = [], tail = []] = spelling.split("::").map((part) => part.split(":").filter(Boolean));
  const zeros = Array<string>(8 - head.length - tail.length).fill("0");
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(":")}::/64`;
}
