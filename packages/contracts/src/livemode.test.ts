import { randomUUIDv7 } from "node:crypto";
import { expect, test } from "vitest";
import { z } from "zod";
import { idInMode, isLive, merchantIdOf, testIdOf } from "./livemode.ts";

test("a merchant's id of test mode is another id, says so, and leads back to the merchant", () => {
  const merchantId = randomUUIDv7();
  const testId = testIdOf(merchantId);
  expect(testId).not.toBe(merchantId);
  expect([isLive(merchantId), isLive(testId)]).toEqual([true, false]);
  expect([merchantIdOf(testId), merchantIdOf(merchantId)]).toEqual([merchantId, merchantId]);
  expect(testIdOf(testId)).toBe(testId);
  expect(z.uuid({ version: "v8" }).parse(testId)).toBe(testId);
});

test("different merchants have different ids in test mode, in the same order", () => {
  const ids = Array.from({ length: 50 }, () => randomUUIDv7()).toSorted();
  const testIds = ids.map(testIdOf);
  expect(new Set(testIds).size).toBe(50);
  expect(testIds.toSorted()).toEqual(testIds);
});

test("an id in live mode is the merchant's own", () => {
  const merchantId = randomUUIDv7();
  expect(idInMode(merchantId, true)).toBe(merchantId);
  expect(idInMode(merchantId, false)).toBe(testIdOf(merchantId));
});

test("an account's id of any other version is live", () => {
  for (const version of "1234567") expect(isLive(`0199aaaa-0000-${version}000-8000-000000000001`)).toBe(true);
});
