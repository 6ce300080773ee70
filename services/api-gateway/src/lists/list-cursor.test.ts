import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createListCursors, type ListIdentity } from "./list-cursor.ts";

const [first, second] = [randomBytes(32), randomBytes(32)];
const cursors = createListCursors({ activeId: "p1", keys: new Map([["p1", first]]) });
const PLACE = { createdAt: "2026-11-20T12:00:00.123456Z", id: "0199aaaa-0000-7000-8000-000000000001" };
const QUERY: ListIdentity = { path: "/api/payments", audience: "shop", parameters: { status: "SUCCESS" } };

test("a cursor leads back to its place, for its own query alone", () => {
  const cursor = cursors.encode(QUERY, PLACE);
  expect(cursors.decode(QUERY, cursor)).toEqual(PLACE);
  // The OpenAPI document promises this of every cursor.
  expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
  const others: ListIdentity[] = [
    { ...QUERY, path: "/api/checkouts" },
    { ...QUERY, audience: "another shop" },
    { ...QUERY, parameters: {} },
    { ...QUERY, parameters: { status: "FAILED" } },
    { ...QUERY, parameters: { status: "SUCCESS", bin: "411111" } },
  ];
  for (const other of others) expect(cursors.decode(other, cursor)).toBeUndefined();
});

test("the order of parameters, and those that are absent, make no other query", () => {
  const cursor = cursors.encode({ ...QUERY, parameters: { a: "1", b: "2", c: undefined } }, PLACE);
  expect(cursors.decode({ ...QUERY, parameters: { b: "2", a: "1" } }, cursor)).toEqual(PLACE);
});

test.each(["", "x", "A".repeat(43), "A".repeat(400), "é".repeat(60)])("%j is no cursor", (text) => {
  expect(cursors.decode(QUERY, text)).toBeUndefined();
});

test("a cursor whose place was changed is no cursor", () => {
  const cursor = cursors.encode(QUERY, PLACE);
  const other = cursors.encode(QUERY, { ...PLACE, id: PLACE.id.replace(/1$/, "2") });
  expect(cursors.decode(QUERY, other.slice(0, -43) + cursor.slice(-43))).toBeUndefined();
});

test("a cursor outlives the rotation of its key, until the key is taken away", () => {
  const cursor = cursors.encode(QUERY, PLACE);
  const rotated = createListCursors({
    activeId: "p2",
    keys: new Map([
      ["p2", second],
      ["p1", first],
    ]),
  });
  expect(rotated.decode(QUERY, cursor)).toEqual(PLACE);
  const without = createListCursors({ activeId: "p2", keys: new Map([["p2", second]]) });
  expect(without.decode(QUERY, cursor)).toBeUndefined();
});
