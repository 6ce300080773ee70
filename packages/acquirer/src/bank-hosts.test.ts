import { expect, test } from "vitest";
import { addressesIn, bankHostsSetting, isAtBank } from "./bank-hosts.ts";

const hosts = bankHostsSetting().parse("sanalpos.bank.example, .est3Dgate.example,127.0.0.1,[::1]");

test.each([
  ["https://sanalpos.bank.example/fim/api", true],
  ["https://SANALPOS.bank.example:8443/", true],
  ["https://a.est3dgate.example", true],
  ["https://a.b.est3dgate.example", true],
  ["http://127.0.0.1:8083", true],
  ["http://0x7f000001/", true],
  ["http://[::1]:8083", true],
  ["https://est3dgate.example", false],
  ["https://evilest3dgate.example", false],
  ["https://sanalpos.bank.example.", false],
  ["https://sanalpos.bank.example.evil.example", false],
  ["https://sanalpos.bank.example@evil.example", false],
  ["https://x.sanalpos.bank.example", false],
  ["http://localhost:8083", false],
])("%s is at one of the banks' hosts: %s", (url, expected) => {
  expect(isAtBank(hosts, new URL(url))).toBe(expected);
});

test.each([
  "",
  ",",
  "https://bank.example",
  "bank.example/fim",
  ".example",
  "*.bank.example",
  "a,,b",
  "a:443",
])("'%s' is no list of hosts", (value) => {
  expect(bankHostsSetting().safeParse(value).error?.issues[0]?.message).toMatch(/^must be hosts/);
});

test("an address is found under any name, and however it is written", () => {
  const settings = {
    apiUrl: "https://a.example/x",
    gate: "HTTPS:b.example",
    mode: "T",
    ip: "203.0.113.1",
    n: 1,
  };
  expect(addressesIn(settings).map(([name, { host }]) => [name, host])).toEqual([
    ["apiUrl", "a.example"],
    ["gate", "b.example"],
  ]);
});
