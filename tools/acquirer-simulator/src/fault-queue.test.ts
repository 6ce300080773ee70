import { expect, test } from "vitest";

import { FaultQueue } from "./fault-queue.ts";

test("a thousand faults may wait for one operation, and no more", () => {
  const queue = new FaultQueue();
  const fault = { operation: "sale", behaviour: "hang" };
  for (let count = 0; count < 1_000; count += 1) expect(queue.add(fault)).toBe(true);
  expect(queue.add(fault)).toBe(false);
  expect(queue.add({ ...fault, operation: "refund" })).toBe(true);
  queue.take("sale");
  expect(queue.add(fault)).toBe(true);
});
