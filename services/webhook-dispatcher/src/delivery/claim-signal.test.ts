import { expect, test } from "vitest";
import { createClaimSignal, type ClaimSignal } from "./claim-signal.ts";

/** True if a claim is called for. */
async function isCalled(signal: ClaimSignal): Promise<boolean> {
  let called = false;
  void signal.wait(3_600_000).then(() => (called = true));
  await new Promise(setImmediate);
  return called;
}

test("room calls for a claim where it was missing when the last one began, and nowhere else", async () => {
  const signal = createClaimSignal();
  signal.begin(new Set(["full"]));
  signal.hasRoom("another");
  expect(await isCalled(signal)).toBe(false);
  signal.hasRoom("full");
  expect(await isCalled(signal)).toBe(true);
});

test("room anywhere calls for a claim where more is due than the last one took", async () => {
  const signal = createClaimSignal();
  signal.begin(new Set());
  signal.more();
  signal.hasRoom("any");
  expect(await isCalled(signal)).toBe(true);
  expect(await isCalled(signal)).toBe(false);
});

test("what calls while a claim runs is not lost", async () => {
  const signal = createClaimSignal();
  signal.begin(new Set(["full"]));
  signal.hasRoom("full");
  signal.nudge();
  expect(await isCalled(signal)).toBe(true);
});

test("a claim that goes on is told from one that was called for", async () => {
  const signal = createClaimSignal();
  signal.nudge();
  expect(signal.begin(new Set())).toBe(true);
  signal.goOn();
  expect(await isCalled(signal)).toBe(true);
  expect(signal.begin(new Set(["full"]))).toBe(false);
  signal.hasRoom("another");
  expect(signal.begin(new Set(["full"]))).toBe(false);
  signal.hasRoom("full");
  expect(signal.begin(new Set())).toBe(true);
});
