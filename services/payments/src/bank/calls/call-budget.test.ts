import { type Acquirer } from "@holdfast/acquirer";
import { createSimulatorAcquirer } from "@holdfast/banks";
import { expect, test } from "vitest";
import type { CallSlots } from "./call-slots.ts";
import { createCallBudget, rangeOf } from "./call-budget.ts";
import type { Account } from "../account/current-accounts.ts";

/** Slots in memory. A slot that is taken is free again when the test says so. */
function slotsInMemory(): CallSlots & { taken: Set<number>; isBroken: boolean } {
  const taken = new Set<number>();
  return {
    taken,
    isBroken: false,
    async take({ floor, max }, count) {
      if (this.isBroken) throw new Error("no database");
      const numbers = Array.from({ length: max - floor }, (_, index) => floor + index + 1);
      const free = numbers.filter((slot) => !taken.has(slot)).slice(0, count);
      if (free.length < count) return [];
      for (const slot of free) taken.add(slot);
      return free;
    },
    giveBack: async (_account, slots) => slots.forEach((slot) => taken.delete(slot)),
    nextInMs: async () => 10,
  };
}

const LIMIT = 10;
const accounts = (callsPerMinute?: number) => ({
  table: () => ({
    accounts: new Map([["a", { accountId: "a", callsPerMinute } as Account]]),
    defaultAccount: undefined,
    testAccount: undefined,
    routes: new Map(),
  }),
});
const soon = () => new Date(Date.now() + 60_000);
const limited = { kind: "not_sent", reason: "limit", notBefore: expect.any(Date) };

/** An acquirer of which each call is one over the network that takes its turn, and answers with it. */
function acquirerOf(awaitBudget: (until: Date) => Promise<unknown>): Acquirer {
  const idle = createSimulatorAcquirer({ url: "http://127.0.0.1:1", connectTimeoutMs: 1, connectionsMax: 1 });
  const call = async (request: { until?: Date }) =>
    (await awaitBudget(request.until ?? soon())) ?? { kind: "sent" };
  return { ...idle, sale: call, capture: call, inquire: call, complete: call, refund: call } as never;
}

function bench(callsPerMinute?: number) {
  const slots = slotsInMemory();
  const budget = createCallBudget(slots, accounts(callsPerMinute));
  const bank = acquirerOf(budget.awaitBudgetOf("a"));
  const lane = (name: "payments" | "refunds" | "upkeep") =>
    budget.inLane(bank, name) as unknown as Record<
      "sale" | "capture" | "inquire" | "complete" | "refund",
      (request: { until?: Date }) => Promise<unknown>
    >;
  const use = (count: number) => Array.from({ length: count }, (_, index) => slots.taken.add(LIMIT - index));
  return { slots, budget, lane, use };
}

test("each kind of call leaves to what was begun the part that is kept for it", () => {
  const account = { accountId: "a", max: 50 };
  expect(rangeOf("follow_up", account).floor).toBe(0);
  expect(rangeOf("payment", account).floor).toBe(10);
  expect(rangeOf("read", account).floor).toBe(25);
});

test("a new payment takes its calls before it begins, uses those first, and gives back what it did not use", async () => {
  const { slots, budget, lane } = bench(LIMIT);
  const reserved = await budget.reserve("a", 3);
  expect(slots.taken.size).toBe(3);
  await budget.use(reserved!, async () => {
    expect(await lane("payments").sale({})).toEqual({ kind: "sent" });
    expect(await lane("payments").complete({})).toEqual({ kind: "sent" });
    expect(slots.taken.size).toBe(3);
  });
  expect(slots.taken.size).toBe(2);
});

test("without free calls there is no new payment, and nothing waits for one", async () => {
  const { budget, lane, use } = bench(LIMIT);
  use(7);
  expect(await budget.reserve("a", 2)).toBeUndefined();
  use(8);
  expect(await budget.reserve("a", 1)).toBeUndefined();
  expect(await lane("payments").sale({})).toEqual(limited);
});

test("what was begun goes on where new payments and reads stop, and waits for its turn", async () => {
  const { slots, lane, use } = bench(LIMIT);
  use(5);
  expect(await lane("payments").inquire({})).toEqual(limited);
  expect(await lane("upkeep").inquire({})).toEqual({ kind: "sent" });
  expect(await lane("payments").capture({})).toEqual({ kind: "sent" });
  use(LIMIT);
  const waiting = lane("refunds").refund({});
  slots.taken.delete(4);
  expect(await waiting).toEqual({ kind: "sent" });
  // The budget waits no longer than its caller does.
  expect(await lane("refunds").refund({ until: new Date() })).toEqual(limited);
});

test("an account without a limit takes no turns", async () => {
  const { slots, budget, lane } = bench();
  expect(await budget.reserve("a", 2)).toEqual({ accountId: "a", slots: [] });
  expect(await lane("payments").sale({})).toEqual({ kind: "sent" });
  expect(slots.taken.size).toBe(0);
});

test("what cannot be counted is not sent", async () => {
  const { slots, lane } = bench(LIMIT);
  slots.isBroken = true;
  expect(await lane("upkeep").capture({})).toEqual({ kind: "not_sent", reason: "limit" });
});
