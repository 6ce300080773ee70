import { expect, test } from "vitest";
import { claimedEvent as event } from "../test/claimed-event.ts";
import { inMessages } from "./in-messages.ts";
import type { ClaimedEvent } from "./outbox-statements.ts";

const idsOf = (messages: ClaimedEvent[][]) =>
  messages.map((events) => events.map(({ event_id }) => event_id).join(""));

test("first copies leave together, no more than so many in a message, and each once", () => {
  const events = Array.from({ length: 70 }, (_, index) => event(`${index}`));
  const messages = inMessages(events);
  expect(messages.map((each) => each.length)).toEqual([32, 32, 6]);
  expect(messages.flat()).toEqual(events);
  expect(inMessages([])).toEqual([]);
});

test("an event that is published again is alone in its message", () => {
  const events = [event("a"), event("b", { publish_attempts: 2 }), event("c"), event("d")];
  expect(idsOf(inMessages(events))).toEqual(["b", "acd"]);
});

test("the bodies of a message have a bound, and a body above it is alone", () => {
  const [large, half] = [Buffer.alloc(70_000), Buffer.alloc(32 * 1_024)];
  const bodies = [large, half, half, half, large];
  const messages = inMessages(bodies.map((body, index) => event(`${index}`, { body })));
  expect(idsOf(messages)).toEqual(["0", "12", "3", "4"]);
});
