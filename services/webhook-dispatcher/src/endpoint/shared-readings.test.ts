import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { shareReadings } from "./shared-readings.ts";
import type { StoredEndpoint } from "./stored-endpoint.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

const start = () => {
  const read = vi.fn(async (endpointId: string) => ({ endpoint_id: endpointId }) as StoredEndpoint);
  return { read, shared: shareReadings(read) };
};

test("deliveries of one endpoint share a reading for a second from when it was asked for, and no longer", async () => {
  const { read, shared } = start();
  await Promise.all([shared("a"), shared("a"), shared("b")]);
  vi.advanceTimersByTime(999);
  expect(await shared("a")).toEqual({ endpoint_id: "a" });
  expect(read.mock.calls).toEqual([["a"], ["b"]]);
  vi.advanceTimersByTime(1);
  await shared("a");
  expect(read).toHaveBeenCalledTimes(3);
});

test("a reading that failed fails who shares it, and the next one reads", async () => {
  const { read, shared } = start();
  read.mockRejectedValueOnce(new Error("no database"));
  const results = await Promise.allSettled([shared("a"), shared("a")]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await expect(shared("a")).resolves.toEqual({ endpoint_id: "a" });
});

test("of many endpoints the oldest readings are forgotten", async () => {
  const { read, shared } = start();
  for (let index = 0; index < 4_001; index++) await shared(`e${index}`);
  await shared("e4000");
  expect(read).toHaveBeenCalledTimes(4_001);
  await shared("e0");
  expect(read).toHaveBeenCalledTimes(4_002);
});
