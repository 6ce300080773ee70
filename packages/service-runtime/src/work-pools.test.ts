import { expect, onTestFinished, test } from "vitest";
import { createLogger } from "./logger.ts";
import { startWorkPools } from "./work-pools.ts";

test("items of one key that hang leave another's places free, and a key that comes later gets a pool", async () => {
  const keys = ["frozen"];
  const thawed = Promise.withResolvers<void>();
  const begun: string[] = [];
  const done = new Map(["frozen", "other"].map((key) => [key, Promise.withResolvers<void>()]));
  const pools = startWorkPools("recovery", {
    keys: () => keys,
    inFlightMax: () => 2,
    intervalMs: 1,
    lease: (key, limit) => Promise.resolve(Array.from({ length: limit }, () => key)),
    work: async (key) => {
      begun.push(key);
      if (begun.filter((each) => each === key).length >= 2) done.get(key)!.resolve();
      if (key === "frozen") await thawed.promise;
    },
    log: createLogger("test", "fatal"),
  });
  onTestFinished(async () => {
    thawed.resolve();
    await pools.stop(60_000);
  });
  await done.get("frozen")!.promise;
  keys.push("other");
  await done.get("other")!.promise;
  expect(begun.filter((key) => key === "frozen")).toHaveLength(2);
});

test("a stop waits for what is under way of every key, and leases nothing more", async () => {
  const ends = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  let underWay = 0;
  let leased = 0;
  const pools = startWorkPools("recovery", {
    keys: () => ["one", "two"],
    inFlightMax: () => 1,
    intervalMs: 1,
    lease: (key) => {
      leased++;
      return Promise.resolve([key]);
    },
    work: async () => {
      underWay++;
      if (underWay === 2) begun.resolve();
      await ends.promise;
      underWay--;
    },
    log: createLogger("test", "fatal"),
  });
  await begun.promise;
  const stopped = pools.stop(60_000);
  ends.resolve();
  await stopped;
  expect(underWay).toBe(0);
  expect(leased).toBe(2);
});
