import { createLogger } from "@holdfast/service-runtime";
import { expect, onTestFinished, test } from "vitest";
import { createListPool } from "./list-pool.ts";

const waitOf = (given: { connectionTimeoutMs?: number }) => {
  const log = createLogger("test", "error");
  const pool = createListPool({ url: "postgres://localhost/none", applicationName: "test", log, ...given });
  onTestFinished(() => pool.end());
  return pool.options.connectionTimeoutMillis;
};

test("a list waits for a connection longer than a payment does, and not without end", () => {
  expect(waitOf({})).toBe(5_000);
  expect(waitOf({ connectionTimeoutMs: 200 })).toBe(1_000);
});
