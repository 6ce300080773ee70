import { expect, test } from "vitest";
import { createFairRoom, type Place } from "./fair-room.ts";

function setUp({ placesMax = 4, bytesMax = 1_000 } = {}) {
  const limit = createFairRoom({ placesMax, bytesMax });
  const pushedOut: string[] = [];
  const rooms = new Map<string, Place>();
  const begin = (...names: string[]) => {
    for (const name of names)
      rooms.set(
        name,
        limit(name[0]!, () => pushedOut.push(name)),
      );
  };
  const add = (name: string, bytes: number) => rooms.get(name)!.add(bytes);
  const end = (name: string) => rooms.get(name)!.leave();
  const hold = (name: string) => rooms.get(name)!.hold();
  const release = (name: string) => rooms.get(name)!.release();
  return { begin, add, end, hold, release, pushedOut };
}

test("where there is no room, the client with most bodies loses its oldest, and a new one always gets in", () => {
  const { begin, pushedOut } = setUp();
  begin("a1", "a2", "a3", "b1");
  begin("c1");
  expect(pushedOut).toEqual(["a1"]);
  begin("a4", "a5");
  expect(pushedOut).toEqual(["a1", "a2", "a3"]);
});

test("among equals the oldest gives way", () => {
  const { begin, pushedOut } = setUp();
  begin("a1", "b1", "c1", "d1", "e1", "f1");
  expect(pushedOut).toEqual(["a1", "b1"]);
});

test("a body that is whole leaves its room to others", () => {
  const { begin, end, pushedOut } = setUp();
  begin("a1", "a2", "a3", "a4");
  end("a2");
  end("a2");
  begin("b1");
  expect(pushedOut).toEqual([]);
  begin("b2");
  expect(pushedOut).toEqual(["a1"]);
});

test("of bytes the client that has sent most loses its oldest body", () => {
  const { begin, add, pushedOut } = setUp({ bytesMax: 100 });
  begin("a1", "a2", "b1");
  add("a1", 30);
  add("a2", 30);
  add("b1", 40);
  expect(pushedOut).toEqual([]);
  add("b1", 10);
  expect(pushedOut).toEqual(["a1"]);
  // The rest of a body that was pushed out counts no more.
  add("a1", 1_000);
  expect(pushedOut).toEqual(["a1"]);
});

test("a body larger than all room is pushed out itself", () => {
  const { begin, add, pushedOut } = setUp({ bytesMax: 10 });
  begin("a1");
  add("a1", 11);
  expect(pushedOut).toEqual(["a1"]);
});

test("a client's only body may give way to its next one", () => {
  const { begin, pushedOut } = setUp({ placesMax: 1 });
  begin("a1", "a2", "b1");
  expect(pushedOut).toEqual(["a1", "a2"]);
});

test("a place that is held does not give way, and where all are held the new one does", () => {
  const { begin, hold, release, pushedOut } = setUp({ placesMax: 2 });
  begin("a1", "a2");
  hold("a1");
  begin("b1");
  expect(pushedOut).toEqual(["a2"]);
  hold("b1");
  begin("b2");
  expect(pushedOut).toEqual(["a2", "b2"]);
  release("a1");
  begin("b3");
  expect(pushedOut).toEqual(["a2", "b2", "a1"]);
});

test("a place that was released has its turn after the others, once all of its holds are over", () => {
  const { begin, hold, release, end, pushedOut } = setUp({ placesMax: 3 });
  begin("a1", "a2", "a3");
  hold("a1");
  hold("a1");
  release("a1");
  begin("b1");
  release("a1");
  begin("b2");
  expect(pushedOut).toEqual(["a2", "a3"]);
  hold("a1");
  end("a1");
  release("a1");
  begin("c1");
  expect(pushedOut).toEqual(["a2", "a3"]);
});
