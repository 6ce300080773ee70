import { expect, test } from "vitest";
import { readMessage } from "./pulled-message.ts";

/** A message of the stream that records the calls it receives. */
function messageOf(text: string) {
  const said: string[] = [];
  const message = {
    subject: "events.payments",
    seq: 7,
    data: Buffer.from(text),
    headers: undefined,
    json: () => JSON.parse(text) as unknown,
    ack: () => void said.push("ack"),
    term: (reason?: string) => void said.push(`term ${reason}`),
    working: () => void said.push("working"),
  };
  return { said, read: readMessage(message) };
}

test("a list is acknowledged when each of its events has ended, whichever way, and not before", () => {
  const { said, read } = messageOf(
    JSON.stringify({ events: [{ eventId: "a" }, "no event", { eventId: "c" }] }),
  );
  const [first, second, third] = read.events;
  expect(read.events.map(({ content }) => content)).toEqual([{ eventId: "a" }, "no event", { eventId: "c" }]);
  expect(read.events.every(({ sequence, subject }) => sequence === 7 && subject === "events.payments")).toBe(
    true,
  );
  third!.ack();
  second!.term("not an event");
  read.working();
  expect(said).toEqual(["working"]);
  first!.ack();
  expect(said).toEqual(["working", "ack"]);
});

test("each event of a list has its own trace and its own bytes", () => {
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const { read } = messageOf(JSON.stringify({ events: [{ traceparent }, {}, { traceparent: 7 }, null] }));
  expect(read.events.map((event) => event.traceparent)).toEqual([
    traceparent,
    undefined,
    undefined,
    undefined,
  ]);
  expect(read.events.map((event) => Buffer.from(event.bytes()).toString())).toEqual([
    JSON.stringify({ traceparent }),
    "{}",
    '{"traceparent":7}',
    "null",
  ]);
});

test.each([
  ["no JSON", undefined],
  ["[]", []],
  ['"text"', "text"],
  ['{"eventId":"a"}', { eventId: "a" }],
  ['{"events":[]}', { events: [] }],
  ['{"events":{}}', { events: {} }],
])("what is no list is one event, to be judged by its reader: %s", (text, content) => {
  const { said, read } = messageOf(text);
  expect(read.events.map((event) => [event.content, Buffer.from(event.bytes()).toString()])).toEqual([
    [content, text],
  ]);
  read.events[0]!.term("not an event");
  expect(said).toEqual(["term not an event"]);
});

test("a list beyond the bound is one event, and no event", () => {
  const list = (count: number) =>
    messageOf(JSON.stringify({ events: Array.from({ length: count }, () => 1) })).read;
  expect(list(1_000).events).toHaveLength(1_000);
  expect(list(1_001).events).toHaveLength(1);
});
