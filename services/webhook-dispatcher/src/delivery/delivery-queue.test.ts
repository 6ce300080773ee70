import { expect, test, vi } from "vitest";
import { DeliveryQueue, type DeliveryQueueOptions } from "./delivery-queue.ts";
import type { LeasedDelivery } from "./leased-delivery.ts";
import type { SendResult } from "./endpoint-health.ts";

/** A queue whose sends end when the test ends them. */
function startQueue(change: Partial<DeliveryQueueOptions> = {}) {
  const sent: { endpointId: string; end: (result?: SendResult) => Promise<void> }[] = [];
  const givenBack: LeasedDelivery[] = [];
  const queue = new DeliveryQueue({
    inFlightMax: 100,
    leaseMarginMs: 10_000,
    giveBack: (deliveries) => void givenBack.push(...deliveries),
    onRoom: () => {},
    onResult: () => {},
    send: ({ endpointId }) =>
      new Promise((resolve) => {
        const end = async (result: SendResult = { kind: "success", durationMs: 1 }) => {
          resolve(result);
          await new Promise(setImmediate);
        };
        sent.push({ endpointId, end });
      }),
    ...change,
  });
  const push = (endpointId: string, count = 1, leftMs = 30_000) => {
    for (let index = 0; index < count; index++) {
      queue.push({
        endpointId,
        leasedUntil: performance.now() + leftMs,
        endpoint: { max_in_flight: 8 },
      } as LeasedDelivery);
    }
  };
  const to = (endpointId: string) => sent.filter((each) => each.endpointId === endpointId);
  return { queue, sent, givenBack, push, to };
}

const timeout: SendResult = { kind: "timeout", durationMs: 5_000 };
const failure: SendResult = { kind: "failure", durationMs: 5 };

test("an endpoint has its own number of requests at once; the others are not held up", () => {
  const { push, to } = startQueue();
  push("a", 20);
  push("b", 3);
  expect(to("a")).toHaveLength(8);
  expect(to("b")).toHaveLength(3);
});

test("where sockets are short the endpoints take turns", async () => {
  const { push, sent, to } = startQueue({ inFlightMax: 2 });
  push("a", 5);
  push("b", 5);
  expect(to("a")).toHaveLength(2);
  for (let index = 0; index < 6; index++) await sent[index]!.end();
  expect(Math.abs(to("a").length - to("b").length)).toBeLessThanOrEqual(2);
  expect(to("b").length).toBeGreaterThanOrEqual(3);
});

test("sockets that become free are used at once by whoever waits", async () => {
  const { push, sent, to } = startQueue({ inFlightMax: 2 });
  push("a", 2);
  push("b", 4);
  expect(to("b")).toHaveLength(0);
  await sent[0]!.end();
  await sent[1]!.end();
  expect(to("b")).toHaveLength(2);
});

test("after a time-out one request at a time is made, and the rest goes back", async () => {
  const { push, sent, to, givenBack } = startQueue();
  push("a", 12);
  for (const each of sent.slice(0, 8)) await each.end(timeout);
  expect(to("a")).toHaveLength(8);
  expect(givenBack).toHaveLength(4);
  push("a", 2);
  expect(to("a")).toHaveLength(9);
});

test("an answer that is slower than those before gives nothing back of what is leased", async () => {
  const { push, sent, givenBack } = startQueue();
  push("a", 8);
  for (let index = 0; index < 8; index++) await sent[index]!.end({ kind: "success", durationMs: 100 });
  push("a", 60);
  await sent[8]!.end({ kind: "success", durationMs: 300 });
  expect(givenBack).toEqual([]);
});

test("when an endpoint falls silent no more than a few requests are added to those it has", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const { push, to } = startQueue();
  push("a", 1);
  vi.advanceTimersByTime(1_100);
  push("a", 5);
  expect(to("a")).toHaveLength(2);
  vi.useRealTimers();
});

test("endpoints with an open breaker get at most half of the sockets between them", async () => {
  const { queue, push, sent, to } = startQueue({ inFlightMax: 6 });
  const dead = ["d1", "d2", "d3", "d4", "d5"];
  for (const endpointId of dead) {
    for (let index = 0; index < 5; index++) {
      push(endpointId);
      await sent.at(-1)!.end(failure);
    }
  }
  expect(queue.measure().breakersOpen).toBe(5);
  const before = sent.length;
  for (const endpointId of dead) push(endpointId);
  expect(sent.length - before).toBe(3);
  push("healthy", 3);
  expect(to("healthy")).toHaveLength(3);
});

test("many endpoints with an open breaker keep no more than may be under way, and leave the others their places", async () => {
  const { queue, push, sent } = startQueue({ inFlightMax: 8 });
  const dead = Array.from({ length: 20 }, (_, index) => `d${index}`);
  for (const endpointId of dead) {
    for (let index = 0; index < 5; index++) {
      push(endpointId);
      await sent.at(-1)!.end(failure);
    }
  }
  const before = sent.length;
  for (const endpointId of dead.slice(0, 8)) expect(queue.reserve(endpointId)).toBe(true);
  expect(dead.filter((endpointId) => queue.reserve(endpointId))).toEqual([]);
  const rooms = new Map(queue.rooms().map(({ endpointId, room }) => [endpointId, room]));
  expect(dead.map((endpointId) => rooms.get(endpointId))).toEqual(dead.map(() => 0));
  expect(queue.reserve("healthy")).toBe(true);
  for (const endpointId of dead.slice(0, 2)) queue.giveUp(endpointId);
  expect(queue.reserve("d9")).toBe(true);
  for (const endpointId of dead.slice(2, 8)) queue.giveUp(endpointId);
  queue.giveUp("d9");
  queue.giveUp("healthy");
  expect(sent).toHaveLength(before);
  expect(queue.measure().kept).toBe(0);
});

test("an endpoint that answers again is not counted among those that fail", async () => {
  const { queue, push, sent } = startQueue({ inFlightMax: 4 });
  for (const endpointId of ["a", "b", "c", "d", "e"]) {
    for (let index = 0; index < 5; index++) {
      push(endpointId);
      await sent.at(-1)!.end(failure);
    }
  }
  for (const endpointId of ["a", "b", "c", "d"]) push(endpointId);
  expect(queue.reserve("e")).toBe(false);
  await sent.at(-2)!.end();
  await sent.at(-1)!.end();
  expect(queue.reserve("e")).toBe(true);
});

test("what has waited until its lease is short goes back unsent", async () => {
  const { queue, push, givenBack, sent } = startQueue();
  push("a", 8);
  push("a", 1, 9_000);
  push("a", 1, 20_000);
  queue.sweep();
  expect(givenBack).toHaveLength(1);
  push("b", 1, 9_999);
  expect(sent.filter(({ endpointId }) => endpointId === "b")).toEqual([]);
  expect(givenBack).toHaveLength(2);
});

test("a place that is reserved counts until it is used or given up", () => {
  const { queue } = startQueue();
  const held = Array.from({ length: 9 }, () => queue.reserve("a"));
  expect(held.filter(Boolean)).toHaveLength(8);
  queue.giveUp("a");
  expect(queue.reserve("a")).toBe(true);
  expect(queue.reserve("b")).toBe(true);
});

test("draining begins nothing, gives back what waits, and at its end what did not finish", async () => {
  const { queue, push, givenBack, sent } = startQueue();
  push("a", 10);
  await queue.drain(20);
  expect(givenBack).toHaveLength(10);
  await sent[0]!.end();
  expect(sent).toHaveLength(8);
  push("a");
  expect(givenBack).toHaveLength(11);
  expect(queue.reserve("a")).toBe(false);
  expect(queue.totalRoom()).toBe(0);
});
