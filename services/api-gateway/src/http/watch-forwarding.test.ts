import type { Socket } from "node:net";
import { captureLog } from "@holdfast/tests/support";
import { expect, test } from "vitest";
import { createClientAddress } from "@holdfast/http-server";
import { watchForwarding } from "./watch-forwarding.ts";

test.each([
  ["a forwarded request while no proxy is trusted is an error", [], "203.0.113.9", "error"],
  ["a trusted proxy that names no address is a warning", ["10.0.0.0/8"], "unknown", "warn"],
])("%s in the log, once a minute", (_case, trusted, header, level) => {
  const { log, lines } = captureLog("api-gateway");
  let now = 0;
  const watch = watchForwarding(log, "public", () => now);
  const addressOf = createClientAddress(trusted, watch);
  const socket = { remoteAddress: "10.0.0.1" } as Socket;
  const forwarded = { headers: { "x-forwarded-for": header }, socket };
  expect(addressOf({ headers: {}, socket })).toBe("10.0.0.1");
  expect(lines).toEqual([]);
  for (const at of [0, 1_000, 59_999]) {
    now = at;
    expect(addressOf(forwarded)).toBe("10.0.0.1");
  }
  expect(lines).toMatchObject([{ level, listener: "public" }]);
  now = 60_000;
  addressOf(forwarded);
  expect(lines).toHaveLength(2);
});

test.each(["203.0.113.9", "203.0.113.9:4711"])("a trusted proxy that names %s is no complaint", (hop) => {
  const { log, lines } = captureLog("api-gateway");
  const addressOf = createClientAddress(["10.0.0.0/8"], watchForwarding(log, "merchant"));
  const socket = { remoteAddress: "10.0.0.1" } as Socket;
  expect(addressOf({ headers: { "x-forwarded-for": hop }, socket })).toBe("203.0.113.9");
  expect(lines).toEqual([]);
});
