import { expect, test } from "vitest";
import { claimedEvent as event } from "../test/claimed-event.ts";
import { inMessages } from "./in-messages.ts";
import type { ClaimedEvent } from "./outbox-statements.ts";

const idsOf = (messages: ClaimedEvent[][]) =>
  messages.map((events) => events.map(({ event_id }) => event_id).join(""));

test("first copies leave together, no more than so many in a message, and each once", () => {
  const events = "abcdefg".split("").map((id) => event(id));
  expect(idsOf(inMessages(events, 3))).toEqual(["abc", "def", "g"]);
  expect(idsOf(inMessages(events, 64))).toEqual(["abcdefg"]);
  expect(idsOf(inMessages(events, 1))).toEqual("abcdefg".split(""));
  expect(inMessages([], 3)).toEqual([]);
});

test("an event that is published again is alone in its message", () => {
  const events = [event("a"), event("b", { publish_attempts: 2 }), event("c"), event("d")];
  expect(idsOf(inMessages(events, 64))).toEqual(["b", "acd"]);
});

test("the bodies of a message have a bound, and a body above it is alone", () => {
  const [large, half] = [Buffer.alloc(70_000), Buffer.alloc(32 * 1_024)];
  const bodies = [large, half, half, half, large];
  const messages = inMessages(
    bodies.map((body, index) => event(`${index}`, { body })),
    64,
  );
  expect(idsOf(messages)).toEqual(["0", "12", "3", "4"]);
});
