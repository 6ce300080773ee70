import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { createClientAddress } from "./client-address.ts";

const PROXIES = ["10.0.0.0/8", "fd00::/8", "192.0.2.7/32"];

function addressOf(peer: string | undefined, forwardedFor?: string, proxies = PROXIES): string {
  const headers = forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor };
  return createClientAddress(proxies)({ headers, socket: { remoteAddress: peer } as Socket });
}

test.each([
  ["without the header the peer", "10.0.0.1", undefined, "10.0.0.1"],
  ["the hop a trusted proxy names", "10.0.0.1", "203.0.113.9", "203.0.113.9"],
  ["the right-most hop that is not trusted", "10.0.0.1", "203.0.113.9, 192.0.2.7, 10.2.3.4", "203.0.113.9"],
  ["nothing that the client itself has written", "10.0.0.1", "1.1.1.1, 203.0.113.9", "203.0.113.9"],
  ["not even a proxy's address it has written", "10.0.0.1", "10.9.9.9, 203.0.113.9", "203.0.113.9"],
  ["through several proxies that are all trusted the first", "10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
  ["IPv6 behind IPv6", "fd00::1", "2001:DB8:0::1", "2001:db8::1"],
  ["IPv4 in IPv6 clothes as what it is", "::ffff:10.0.0.1", "::ffff:203.0.113.9", "203.0.113.9"],
  ["a port is no part of an address", "10.0.0.1", "203.0.113.9:4711", "203.0.113.9"],
  ["brackets are no part of an address", "10.0.0.1", "[2001:db8::1]", "2001:db8::1"],
  ["both are no part of an address", "10.0.0.1", "[2001:DB8::1]:4711", "2001:db8::1"],
  ["a trusted proxy with a port is trusted", "10.0.0.1", "203.0.113.9:80, 192.0.2.7:443", "203.0.113.9"],
])("%s", (_case, peer, forwardedFor, expected) => {
  expect(addressOf(peer, forwardedFor)).toBe(expected);
});

test.each(["203.0.113.9", "10.0.0.1", "unknown"])("a peer that is not trusted names nobody: %s", (hop) => {
  expect(addressOf("198.51.100.4", hop)).toBe("198.51.100.4");
  expect(addressOf("10.0.0.1", hop, [])).toBe("10.0.0.1");
  expect(addressOf("::ffff:198.51.100.4", hop)).toBe("198.51.100.4");
});

test.each([
  "unknown",
  "203.0.113.9:",
  "203.0.113.9:port",
  "203.0.113.9:123456",
  "[2001:db8::1",
  "[2001:db8::1]4711",
  "[nobody]:4711",
  "203.0.113.9 garbage",
  "2130706433",
  "0x7f.1",
  "203.0.113.256",
  ",",
  "\t",
  "203.0.113.9, nobody",
  "x".repeat(10_000),
  "fe80::1%eth-0.1\u0000",
])("what is no address counts as nothing: %j", (hop) => {
  expect(addressOf("10.0.0.1", hop)).toBe("10.0.0.1");
});

test("a connection that is gone has none, and one of a local link keeps its zone", () => {
  expect(addressOf(undefined)).toBe("");
  expect(addressOf(undefined, "203.0.113.9")).toBe("");
  expect(addressOf("fe80::1%eth-0")).toBe("fe80::1%eth-0");
});
