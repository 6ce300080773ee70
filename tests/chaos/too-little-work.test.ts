import { expect, test } from "vitest";
import { tooLittleWork, type Work } from "./too-little-work.ts";

const planned = { payments: 300, checkouts: 50 };
const enough: Work = {
  payments: 100,
  paidCheckouts: 2,
  paidRefunds: 6,
  chargebacks: 1,
  staffRefunds: 1,
  refusedWebhooks: 1,
};

test("a third of the orders, and at least one of everything else, is enough", () => {
  expect(tooLittleWork(enough, planned)).toEqual([]);
});

test.each(Object.entries(enough) as [keyof Work, number][])("one less of %s is too little", (kind, least) => {
  expect(tooLittleWork({ ...enough, [kind]: least - 1 }, planned)).toHaveLength(1);
});
