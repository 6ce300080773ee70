// Tests the comparison of the books itself: books that agree are changed by one minor unit, and by one row.
import { withClient } from "@holdfast/sandbox/infrastructure";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compareBooks, takeFiles } from "./books.ts";
import { startSystemUnderTest, type SystemUnderTest } from "./system-under-test.ts";
import { fastTimers } from "./system/timers.ts";

let sut: SystemUnderTest;
beforeAll(async () => {
  sut = await startSystemUnderTest(fastTimers, { withSettlement: true });
});
afterAll(() => sut?.stop());

const query = (text: string) =>
  withClient(sut.system.superuserUrl, async (client) => await client.query(text));

test("the books agree once all files are taken, and a fact, a line or a payment that is wrong is found", async () => {
  for (let order = 0; order < 3; order++) await sut.client.post({ ...sut.order(), sale: true });
  await sut.settled();
  expect(await takeFiles(sut.system)).toEqual([]);
  expect(await compareBooks(sut.system)).toEqual([]);

  for (const [plant, undo] of [
    [
      "update settlement.fact set amount_minor = amount_minor + 1 where fact_id = (select fact_id from settlement.line where line_no = 2)",
      "update settlement.fact set amount_minor = amount_minor - 1 where fact_id = (select fact_id from settlement.line where line_no = 2)",
    ],
    [
      "update settlement.line set gross_minor = gross_minor + 1 where line_no = 2",
      "update settlement.line set gross_minor = gross_minor - 1 where line_no = 2",
    ],
    [
      "update payments.payment set state_since = state_since - interval '1 day' where payment_id = (select fact_id from settlement.line where line_no = 2)",
      "update payments.payment set state_since = state_since + interval '1 day' where payment_id = (select fact_id from settlement.line where line_no = 2)",
    ],
  ] as const) {
    await query(plant);
    expect(await compareBooks(sut.system), plant).not.toEqual([]);
    await query(undo);
  }
});
