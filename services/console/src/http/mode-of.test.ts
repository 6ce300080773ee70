import type { Request } from "express";
import { expect, test } from "vitest";
import { isLiveMode, queryInMode } from "./mode-of.ts";

const at = (originalUrl: string, mode?: string, method = "GET") => {
  const headers = mode === undefined ? {} : { cookie: `__Host-holdfast-mode=${mode}` };
  return { originalUrl, method, headers } as Request;
};

test.each([
  ["/payments", undefined, true],
  ["/payments", "false", false],
  ["/payments", "nonsense", true],
  ["/payments?livemode=true", "false", true],
  ["/payments?livemode=", "false", false],
  ["/payments?livemode=false", "true", false],
])("%s after a switch to %s is live: %s", (address, mode, isLive) => {
  const request = at(address, mode);
  expect(isLiveMode(request)).toBe(isLive);
  expect(queryInMode(request).get("livemode") !== "false").toBe(isLive);
});

test.each([
  [undefined, "true"],
  ["true", "true"],
  ["false", "false"],
])("a page names its mode for its links and forms (%s)", (mode, livemode) => {
  expect(queryInMode(at("/refunds?status=REJECTED", mode)).toString()).toBe(
    `status=REJECTED&livemode=${livemode}`,
  );
});

test("a form keeps the mode of its own page, whatever was switched to since", () => {
  expect(queryInMode(at("/payment-links/create", "false", "POST")).has("livemode")).toBe(false);
  expect(queryInMode(at("/payment-links/create?livemode=false", "true", "POST")).get("livemode")).toBe(
    "false",
  );
});
