import { expect, test } from "vitest";

import { FaultQueue } from "./fault-queue.ts";

const table = { sale: ["hang", "partial"], refund: ["hang"] } as const;

test("a thousand faults may wait for one operation, and no more", () => {
  const queue = new FaultQueue(table);
  const fault = { operation: "sale", behaviour: "hang" };
  for (let count = 0; count < 1_000; count += 1) expect(queue.add(fault)).toBe(true);
  expect(queue.add(fault)).toBe(false);
  expect(queue.add({ ...fault, operation: "refund" })).toBe(true);
  queue.take("sale");
  expect(queue.add(fault)).toBe(true);
});

test("a fault waits for as many calls of its operation as it says, and faults come in order", () => {
  const queue = new FaultQueue(table);
  queue.add({ operation: "sale", behaviour: "hang", times: 2 });
  queue.add({ operation: "sale", behaviour: "partial" });
  expect([queue.take("refund"), ...Array.from({ length: 4 }, () => queue.take("sale"))]).toEqual([
    undefined,
    "hang",
    "hang",
    "partial",
    undefined,
  ]);
});

test.each([
  { operation: "chargeback", behaviour: "hang" },
  { operation: "toString", behaviour: "hang" },
  { operation: "refund", behaviour: "partial" },
  { operation: "sale", behaviour: "explode" },
  { operation: "sale", behaviour: "hang", times: 0 },
  { operation: "sale", behaviour: "hang", times: 1.5 },
  {},
  null,
])("%j is refused: it is not in the table of the bank's faults", (fault) => {
  expect(new FaultQueue(table).add(fault)).toBe(false);
});
