import { expect, test } from "vitest";
import { createBreaker } from "./breaker.ts";

function setUp() {
  let time = 0;
  const breaker = createBreaker({ failuresMax: 3, retryMs: 1_000, now: () => time });
  const fail = (times: number) => {
    for (let count = 0; count < times; count++) breaker.record(false);
  };
  return { breaker, fail, pass: (ms: number) => void (time += ms) };
}

test("opens after failures in a row, and only then", () => {
  const { breaker, fail } = setUp();
  fail(2);
  breaker.record(true);
  fail(2);
  expect(breaker.isOpen()).toBe(false);
  fail(1);
  expect(breaker.isOpen()).toBe(true);
});

test("lets one through in each interval, to look", () => {
  const { breaker, fail, pass } = setUp();
  fail(3);
  pass(999);
  expect(breaker.isOpen()).toBe(true);
  pass(1);
  expect([breaker.isOpen(), breaker.isOpen()]).toEqual([false, true]);
  fail(1);
  pass(1_000);
  expect([breaker.isOpen(), breaker.isOpen()]).toEqual([false, true]);
});

test("closes with the first connection", () => {
  const { breaker, fail, pass } = setUp();
  fail(9);
  pass(1_000);
  breaker.record(true);
  expect([breaker.isOpen(), breaker.isOpen()]).toEqual([false, false]);
});
