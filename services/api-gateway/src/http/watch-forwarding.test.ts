import type { Socket } from "node:net";
import { captureLog } from "@holdfast/tests/support";
import { expect, test } from "vitest";
import { createClientAddress } from "@holdfast/http-server";
import { watchForwarding } from "./watch-forwarding.ts";

test("a forwarded request while no proxy is trusted is an error in the log, once a minute", () => {
  const { log, lines } = captureLog("api-gateway");
  let now = 0;
  const watch = watchForwarding(log, "public", () => now);
  const addressOf = createClientAddress([], watch);
  const socket = { remoteAddress: "10.0.0.1" } as Socket;
  const forwarded = { headers: { "x-forwarded-for": "203.0.113.9" }, socket };
  expect(addressOf({ headers: {}, socket })).toBe("10.0.0.1");
  expect(lines).toEqual([]);
  for (const at of [0, 1_000, 59_999]) {
    now = at;
    expect(addressOf(forwarded)).toBe("10.0.0.1");
  }
  expect(lines).toMatchObject([{ level: "error", listener: "public" }]);
  now = 60_000;
  addressOf(forwarded);
  expect(lines).toHaveLength(2);
});

test("where proxies are trusted nothing is complained of", () => {
  const { log, lines } = captureLog("api-gateway");
  const addressOf = createClientAddress(["10.0.0.0/8"], watchForwarding(log, "merchant"));
  const socket = { remoteAddress: "10.0.0.1" } as Socket;
  expect(addressOf({ headers: { "x-forwarded-for": "203.0.113.9" }, socket })).toBe("203.0.113.9");
  expect(lines).toEqual([]);
});
