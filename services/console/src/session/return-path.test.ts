import { expect, test } from "vitest";
import { returnPath } from "./return-path.ts";

test("a sign-in leads back to the page that was asked for", () => {
  expect(returnPath("/refunds?cursor=a%26b")).toBe("/refunds?cursor=a%26b");
});

test.each([
  undefined,
  ["/refunds"],
  "https://evil.example/",
  "//evil.example/",
  "/\\evil.example/",
  "/..//evil.example/",
  "/\t/evil.example/",
  "javascript:alert(1)",
  "/login?return=/login",
  "/logout",
  `/${"a".repeat(1_001)}`,
])("%j leads to the first page", (wanted) => {
  expect(returnPath(wanted)).toBe("/");
});
