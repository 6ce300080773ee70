import { BlockList } from "node:net";
import { expect, test } from "vitest";
import { mayBeCalled } from "./public-address.ts";
import { parseTarget } from "./webhook-target.ts";

const nothing = new BlockList();
const rules = { allowedCidrs: nothing, allowedPorts: new Set([443, 8443]) };

// The first and last address of each range, and the neighbours outside it.
const refused = [
  "0.0.0.0",
  "0.255.255.255",
  "10.0.0.0",
  "10.255.255.255",
  "100.64.0.0",
  "100.127.255.255",
  "127.0.0.0",
  "127.255.255.255",
  "169.254.0.0",
  "169.254.169.254",
  "169.254.255.255",
  "172.16.0.0",
  "172.31.255.255",
  "192.0.0.0",
  "192.0.0.255",
  "192.0.2.0",
  "192.0.2.255",
  "192.88.99.0",
  "192.88.99.255",
  "192.168.0.0",
  "192.168.255.255",
  "198.18.0.0",
  "198.19.255.255",
  "198.51.100.0",
  "198.51.100.255",
  "203.0.113.0",
  "203.0.113.255",
  "224.0.0.0",
  "239.255.255.255",
  "240.0.0.0",
  "255.255.255.255",
  "168.63.129.16",
  "::",
  "::1",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::ffff:169.254.169.254",
  "::127.0.0.1",
  "64:ff9b::7f00:1",
  "64:ff9b::8.8.8.8",
  "100::1",
  "2001::1",
  "2001:1ff:ffff::1",
  "2001:db8::1",
  "2001:db8:ffff::1",
  "2002:7f00:1::",
  "2002:808:808::1",
  "3fff::1",
  "3fff:fff::1",
  "fc00::1",
  "fd12:3456::1",
  "fe80::1",
  "fec0::1",
  "ff02::1",
  "4000::1",
  "1fff::1",
  "not an address",
  "",
  "fe80::1%eth0",
];
const accepted = [
  "1.0.0.0",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.0",
  "169.253.255.255",
  "169.255.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "191.255.255.255",
  "192.0.1.0",
  "192.0.3.0",
  "192.88.98.255",
  "192.88.100.0",
  "192.167.255.255",
  "192.169.0.0",
  "198.17.255.255",
  "198.20.0.0",
  "198.51.99.255",
  "198.51.101.0",
  "203.0.112.255",
  "203.0.114.0",
  "223.255.255.255",
  "168.63.129.15",
  "168.63.129.17",
  "::ffff:8.8.8.8",
  "2000::1",
  "2001:200::1",
  "2001:4860:4860::8888",
  "2001:db7::1",
  "2001:db9::1",
  "2001:dba::1",
  "2003::1",
  "2606:4700::1111",
  "3ffe::1",
  "3fff:1000::1",
];

test.each(refused)("%s may not be called", (address) => expect(mayBeCalled(address, nothing)).toBe(false));
test.each(accepted)("%s may be called", (address) => expect(mayBeCalled(address, nothing)).toBe(true));

test("a range that was opened may be called, in IPv6 clothes too, and nothing beside it", () => {
  const opened = new BlockList();
  opened.addSubnet("127.0.0.0", 8, "ipv4");
  opened.addSubnet("::1", 128, "ipv6");
  for (const address of ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])
    expect(mayBeCalled(address, opened)).toBe(true);
  for (const address of ["10.0.0.1", "fe80::1", "::2"]) expect(mayBeCalled(address, opened)).toBe(false);
});

const loopbackSpellings = [
  "https://127.0.0.1/",
  "https://127.1/",
  "https://2130706433/",
  "https://0x7f000001/",
  "https://0x7f.1/",
  "https://0177.0.0.1/",
  "https://①②⑦.⓪.⓪.①/",
  "https://127。0。0。1/",
  "https://127.0.0.1./",
  "https://%31%32%37.0.0.1/",
  "https://[::1]/",
  "https://[0:0:0:0:0:0:0:1]/",
  "https://[::ffff:127.0.0.1]/",
  "https://[::ffff:7f00:1]/",
  "https://[64:ff9b::7f00:1]/",
  "https://[2002:7f00:1::]/",
  "https://0/",
  "https://[::]/",
  "https://169.254.169.254/latest/meta-data",
  "https://2852039166/",
  "https://[fe80::1]/",
  "https://[fd00:ec2::254]/",
  "https://10.0.0.1/",
  "https://192.168.1.1:8443/",
];

test.each(loopbackSpellings)("%s is refused by its literal", (url) => {
  expect(parseTarget(url, rules)).toBe("address_not_allowed");
});

test.each([
  ["http://example.com/", "not_https"],
  ["ftp://example.com/", "not_https"],
  ["https://user@example.com/", "has_credentials"],
  ["https://:password@example.com/", "has_credentials"],
  ["https://example.com/#here", "has_fragment"],
  ["https://example.com:8080/", "port_not_allowed"],
  ["https://example.com:22/", "port_not_allowed"],
  ["example.com", "invalid_url"],
  ["https://", "invalid_url"],
  ["https://[fe80::1%25eth0]/", "invalid_url"],
  ["https://example.com/\r\nHost: evil.example", "invalid_url"],
  ["https://exam\tple.com/", "invalid_url"],
  ["https://example.com/hook\n", "invalid_url"],
  ["\u0000https://example.com/", "invalid_url"],
  ["https://example.com/\u202Ekooh", "invalid_url"],
  ["https://example.com/\u2028", "invalid_url"],
  [`https://example.com/${"a".repeat(2_048)}`, "too_long"],
])("%j is refused: %s", (url, fault) => expect(parseTarget(url, rules)).toBe(fault));

test("a URL that may be called keeps its name, port and whole path", () => {
  expect(parseTarget("https://Shop.Example:8443/hook/a%20b?x=1&y", rules)).toEqual({
    host: "shop.example",
    isAddress: false,
    port: 8_443,
    authority: "shop.example:8443",
    path: "/hook/a%20b?x=1&y",
  });
  expect(parseTarget("https://[2606:4700::1111]", rules)).toMatchObject({
    host: "2606:4700::1111",
    isAddress: true,
    path: "/",
    port: 443,
  });
});
