import { expect, onTestFinished, test } from "vitest";
import { createLogger } from "../process/logger.ts";
import { pause } from "./pause.ts";
import { startWorkPools } from "./work-pools.ts";

test("items of one key that hang leave another's places free, and a key that comes later gets a pool", async () => {
  const keys = ["frozen"];
  const thawed = Promise.withResolvers<void>();
  const begun: string[] = [];
  const done = new Map(["frozen", "other"].map((key) => [key, Promise.withResolvers<void>()]));
  const pools = startWorkPools("recovery", {
    dueInMs: () => Promise.resolve(0),
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
    dueInMs: () => Promise.resolve(0),
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

test("with nothing due there is one question an interval, whatever the keys, and none of them is asked for", async () => {
  const asked = Promise.withResolvers<void>();
  let questions = 0;
  const pools = startWorkPools("recovery", {
    dueInMs: async () => {
      questions++;
      if (questions === 5) asked.resolve();
      return questions % 2 === 0 ? undefined : 3_600_000;
    },
    keys: () => expect.fail("the keys were asked for"),
    inFlightMax: () => 1,
    intervalMs: 1,
    lease: () => expect.fail("something was leased"),
    work: () => Promise.resolve(),
    log: createLogger("test", "fatal"),
  });
  await asked.promise;
  await pools.stop(60_000);
  expect(questions).toBe(5);
});

test("what is due before the next look is looked for when it is due", async () => {
  const worked = Promise.withResolvers<void>();
  let questions = 0;
  const pools = startWorkPools("recovery", {
    dueInMs: () => Promise.resolve(questions++ === 0 ? 10 : 0),
    keys: () => ["one"],
    inFlightMax: () => 1,
    intervalMs: 3_600_000,
    lease: (key) => Promise.resolve([key]),
    work: () => Promise.resolve(worked.resolve()),
    log: createLogger("test", "fatal"),
  });
  await worked.promise;
  await pools.stop(60_000);
  expect(questions).toBe(2);
});

test("a key whose places are taken is looked at again when there is one", async () => {
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  let leases = 0;
  const pools = startWorkPools("recovery", {
    dueInMs: () => Promise.resolve(0),
    keys: () => ["one"],
    inFlightMax: () => 1,
    intervalMs: 1,
    lease: (key) => Promise.resolve(++leases <= 2 ? [key] : []),
    work: async () => {
      if (leases === 1) await first.promise;
      else second.resolve();
    },
    log: createLogger("test", "fatal"),
  });
  first.resolve();
  await second.promise;
  await pools.stop(60_000);
  expect(leases).toBeGreaterThanOrEqual(2);
});

/** Pools of one key, and the promises of their first three looks. */
function startNudged(
  intervalMs: number,
  { work = () => Promise.resolve() }: { work?: () => Promise<void> } = {},
) {
  const looks = [1, 2, 3].map(() => Promise.withResolvers<void>());
  let looked = 0;
  let isLeased = false;
  const pools = startWorkPools("recovery", {
    dueInMs: () => {
      looks[looked++]?.resolve();
      return Promise.resolve(looked === 1 ? 0 : 3_600_000);
    },
    isNudged: true,
    keys: () => ["one"],
    inFlightMax: () => 2,
    intervalMs,
    lease: (key) => {
      const items = isLeased ? [] : [key];
      isLeased = true;
      return Promise.resolve(items);
    },
    work,
    log: createLogger("test", "fatal"),
  });
  onTestFinished(() => pools.stop(60_000));
  const [first, second, third] = looks.map(({ promise }) => promise);
  return { pools, first: first!, second: second!, third: third! };
}

/** The name of the promise that is kept first. Timers of one process end in their order, however late the machine is. */
async function firstOf(promises: Record<string, Promise<unknown>>): Promise<string> {
  return await Promise.race(
    Object.entries(promises).map(async ([name, promise]) => {
      await promise;
      return name;
    }),
  );
}

test("while nothing is due and nobody nudges, fifteen intervals pass between two looks", async () => {
  const { second, third } = startNudged(50);
  await second;
  expect(await firstOf({ third, "fourteen intervals": pause(14 * 50) })).toBe("fourteen intervals");
  await third;
});

/** Pools whose item is due in a moment, and is due then. @returns when it is worked at. */
async function workedWhenDueSoon(intervalMs: number): Promise<void> {
  const worked = Promise.withResolvers<void>();
  let questions = 0;
  const pools = startWorkPools("recovery", {
    dueInMs: () => Promise.resolve(questions++ === 0 ? 1 : 0),
    isNudged: true,
    keys: () => ["one"],
    inFlightMax: () => 1,
    intervalMs,
    lease: (key) => Promise.resolve([key]),
    work: () => Promise.resolve(worked.resolve()),
    log: createLogger("test", "fatal"),
  });
  onTestFinished(() => pools.stop(60_000));
  await worked.promise;
}

test("what is due soon waits for a quarter of a second, and for less where the interval is shorter", async () => {
  const long = workedWhenDueSoon(3_600_000);
  const short = workedWhenDueSoon(20);
  expect(await firstOf({ long, short })).toBe("short");
  await long;
});

test("what is nudged for is looked for sooner than what is not", async () => {
  const unnudged = startNudged(100);
  const { pools, second, third } = startNudged(100);
  await second;
  // One that comes before the look has ended counts, too.
  pools.nudge();
  expect(await firstOf({ unnudged: unnudged.third, nudged: third })).toBe("nudged");
});

test("the end of an item has the next look come sooner", async () => {
  const ends = Promise.withResolvers<void>();
  const without = startNudged(100);
  const { second, third } = startNudged(100, { work: () => ends.promise });
  await second;
  ends.resolve();
  expect(await firstOf({ without: without.third, ended: third })).toBe("ended");
});
