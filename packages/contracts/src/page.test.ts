import { expect, test } from "vitest";
import { z } from "zod";
import { cutPage, idCursor, jsonCursor, timeCursor } from "./page.ts";

const id = "0193a0b4-7c00-7abc-8def-0123456789ab";
const createdAt = "2026-11-20T12:00:00.123456Z";
const positions = jsonCursor(z.record(z.string(), z.object({ sequence: z.int() })));

test("the row beyond the limit is not shown and tells that there is a next page", () => {
  const after = (last: number) => `after ${last}`;
  expect(cutPage([3, 2, 1], 2, after)).toEqual({ page: [3, 2], next: { nextCursor: "after 2" } });
  expect(cutPage([3, 2], 2, after)).toEqual({ page: [3, 2], next: {} });
  expect(cutPage([], 2, after)).toEqual({ page: [], next: {} });
});

// Clients keep cursors, so a new version has to read cursors of an old one.
test("a cursor keeps its form", () => {
  expect(idCursor.encode(id)).toBe("AZOgtHwAeryN7wEjRWeJqw");
  // A cursor with milliseconds, as old versions made them.
  expect(
    timeCursor.decode("MjAyNi0xMS0yMFQxMjowMDowMC4xMjNaIDAxOTNhMGI0LTdjMDAtN2FiYy04ZGVmLTAxMjM0NTY3ODlhYg"),
  ).toEqual({ createdAt: "2026-11-20T12:00:00.123Z", id });
  expect(positions.encode({ payments: { sequence: 7 } })).toBe("eyJwYXltZW50cyI6eyJzZXF1ZW5jZSI6N319");
});

test("a cursor is read as the position that it was made of", () => {
  expect(idCursor.decode(idCursor.encode(id))).toBe(id);
  expect(timeCursor.decode(timeCursor.encode({ createdAt, id }))).toEqual({ createdAt, id });
  const position = { payments: { sequence: 7 } };
  expect(positions.decode(positions.encode(position))).toEqual(position);
});

test.for(["", "x", "!", "A".repeat(21), `${"A".repeat(21)}B`, "A".repeat(23), "\u0000"])(
  "%j is no cursor",
  (cursor) => {
    expect(idCursor.decode(cursor)).toBeUndefined();
    expect(timeCursor.decode(cursor)).toBeUndefined();
    expect(positions.decode(cursor)).toBeUndefined();
  },
);

test.for([
  `2026-99-20T12:00:00.123Z ${id}`,
  "2026-11-20T12:00:00.123Z ------------------------------------",
  id,
])("%j is no position in time", (text) => {
  expect(timeCursor.decode(Buffer.from(text).toString("base64url"))).toBeUndefined();
});
