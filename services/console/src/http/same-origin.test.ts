import { expect, test } from "vitest";
import { isSaidSameOrigin, isSameOrigin } from "./same-origin.ts";

const OWN = "https://console.example.com";

test.each([
  [{}, true],
  [{ origin: OWN }, true],
  [{ origin: OWN, "sec-fetch-site": "same-origin" }, true],
  [{ origin: "https://evil.example" }, false],
  [{ origin: "null" }, false],
  [{ origin: OWN, "sec-fetch-site": "cross-site" }, false],
  [{ "sec-fetch-site": "same-site" }, false],
  [{ "sec-fetch-site": "none" }, false],
])("a form with %j is the console's own: %s", (headers, isOwn) => {
  expect(isSameOrigin(headers, OWN)).toBe(isOwn);
  const isSaid = Object.keys(headers).length > 0;
  expect(isSaidSameOrigin(headers, OWN)).toBe(isOwn && isSaid);
});
