import { expect, test, vi } from "vitest";
import { claimedEvent as event } from "../test/claimed-event.ts";
import { beginWriting, createEventBuffer } from "./event-buffer.ts";
import type { ClaimedEvent } from "./outbox-statements.ts";

const idsOf = (events: ClaimedEvent[]) => events.map(({ event_id }) => event_id);

test("what is kept leaves once, in its order, and not when others may be about to publish it", () => {
  const kept = createEventBuffer();
  kept.keep([event("1"), event("2")], 1_000);
  kept.keep([event("3")], 2_000);
  expect(idsOf(kept.take(1, 500))).toEqual(["1"]);
  expect(idsOf(kept.take(10, 1_000))).toEqual(["3"]);
  expect(kept.take(10, 1_000)).toEqual([]);
  expect(kept.size).toBe(0);
});

test("a full memory leaves rows to the relay's claims, and so does a relay that cannot publish", () => {
  const kept = createEventBuffer();
  const [wake, nudge] = [vi.fn<() => void>(), vi.fn<() => void>()];
  const begin = (claimMs: number | null) => beginWriting(kept, { claimMs, wake, nudge });
  expect(begin(null).claimMs).toBeNull();
  begin(null).committed([event("never kept")]);
  expect([kept.size, wake.mock.calls.length, nudge.mock.calls.length]).toEqual([0, 0, 1]);

  const writing = begin(10_000);
  expect(writing.claimMs).toBe(10_000);
  writing.committed(Array.from({ length: 1_000 }, (_, index) => event(`${index}`)));
  expect([wake.mock.calls.length, nudge.mock.calls.length]).toEqual([1, 1]);
  expect(begin(10_000).claimMs).toBeNull();
  kept.take(1, performance.now());
  expect(begin(10_000).claimMs).toBe(10_000);
});

test("a statement without an event wakes nobody", () => {
  const [wake, nudge] = [vi.fn<() => void>(), vi.fn<() => void>()];
  for (const claimMs of [null, 10_000]) {
    beginWriting(createEventBuffer(), { claimMs, wake, nudge }).committed([]);
  }
  expect([wake.mock.calls.length, nudge.mock.calls.length]).toEqual([0, 0]);
});

test("what is committed when half of its claim is over is left to the outbox", () => {
  const kept = createEventBuffer();
  const writing = beginWriting(kept, { claimMs: 10_000, wake: () => {}, nudge: () => {} });
  writing.committed([event("late")]);
  expect(kept.take(10, performance.now() + 5_000)).toEqual([]);
});
