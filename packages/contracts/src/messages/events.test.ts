import { expect, test } from "vitest";
import {
  EVENT_SOURCES,
  EVENT_TYPES,
  typesOfSource,
  WEBHOOK_DISABLED_WARNING,
  WEBHOOK_ENDPOINT_CHANGED,
} from "../event-types.ts";
import { eventSubject, sourceOfSubject } from "./events.ts";

test("every type of event has a source, but for those of the dispatcher itself", () => {
  const types = new Set(EVENT_SOURCES.flatMap(typesOfSource));
  const own = new Set<string>([WEBHOOK_DISABLED_WARNING, WEBHOOK_ENDPOINT_CHANGED]);
  expect(types).toEqual(new Set(EVENT_TYPES.filter((type) => !own.has(type))));
});

test("a source is known by its own subject, and by no other", () => {
  expect(EVENT_SOURCES.map((source) => sourceOfSubject(eventSubject(source)))).toEqual(EVENT_SOURCES);
  for (const other of ["events.payments", "events.webhooks.payment.status_changed", ""])
    expect(sourceOfSubject(other)).toBeUndefined();
});
