import { bankWaits } from "@holdfast/service-runtime";
import { expect, test } from "vitest";
import { keyLeaseMs } from "./wait-settings.ts";

test.each([15_000, 25_000])("a key outlasts an approval that sends three commands (%i)", (ms) => {
  const waits = { ACQUIRER_TIMEOUT: ms };
  expect(keyLeaseMs(waits)).toBeGreaterThan(3 * bankWaits(waits).requestMs);
});
