import { randomUUIDv7 } from "node:crypto";

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { refundReference, withSubReference } from "./movement.ts";
import { namedBy, orderIdOf, shortOrderIdOf } from "./order-id.ts";

test("an order is named by the payment's id without hyphens, 32 characters", () => {
  expect(orderIdOf("019c8f2e-7a41-7d10-9b5c-3f6e2d1a4b7c")).toBe("019c8f2e7a417d109b5c3f6e2d1a4b7c");
});

test("what an acquirer gives back names the payment or the refund that it begins with", () => {
  const id = "019c8f2e-7a41-7d10-9b5c-3f6e2d1a4b7c";
  const payment = { what: "payment", id };
  expect(namedBy(orderIdOf(id))).toEqual(payment);
  expect(namedBy(id)).toEqual(payment);
  expect(namedBy(`${id}:capture:${id}`)).toEqual(payment);
  expect(namedBy(withSubReference(`${id}:cancel:${id}`, 2))).toEqual(payment);
  expect(namedBy(withSubReference(`${id}:reversal`, 2))).toEqual(payment);
  for (const sub of [1, 2])
    expect(namedBy(withSubReference(refundReference(id), sub))).toEqual({ what: "refund", id });
});

test("what is none of ours names nothing", () => {
  for (const name of [
    "",
    "order",
    "019C8F2E7A417D109B5C3F6E2D1A4B7C",
    `${"0".repeat(32)}0`,
    `x${"0".repeat(32)}`,
  ])
    expect(namedBy(name)).toBeUndefined();
  expect(namedBy(`019c8f2e-7a41-7d10-9b5c-3f6e2d1a4b7c:capture:${"0".repeat(200)}`)).toBeUndefined();
});

test("a short order is 20 letters and digits, which name the payment again", () => {
  const id = "019c8f2e-7a41-7d10-9b5c-3f6e2d1a4b7c";
  expect(shortOrderIdOf(orderIdOf(id))).toBe("2weBryng8IaDRmtezV7M");
  for (const name of ["2weBryng8IaDRmtezV7M", "HFST2weBryng8IaDRmtezV7M", "TDS_2weBryng8IaDRmtezV7M"])
    expect(namedBy(name)).toEqual({ what: "payment", id });
  for (const name of [
    "2weBryng8IaDRmtezV7",
    "2weBryng8IaDRmtezV7M0",
    "hfst2weBryng8IaDRmtezV7M",
    "z".repeat(20),
  ])
    expect(namedBy(name)).toBeUndefined();
});

test("every payment up to the year 3084 has a short order of its own", () => {
  const last = Date.UTC(3084, 0, 1);
  const ids = fc.tuple(fc.integer({ min: 0, max: last }), fc.uuid({ version: 7 }));
  fc.assert(
    fc.property(ids, ([time, drawn]) => {
      const hex = time.toString(16).padStart(12, "0");
      const id = `${hex.slice(0, 8)}-${hex.slice(8)}${drawn.slice(13)}`;
      const short = shortOrderIdOf(orderIdOf(id));
      expect(short).toMatch(/^[0-9A-Za-z]{20}$/);
      expect(namedBy(short!)).toEqual({ what: "payment", id });
    }),
  );
  expect(namedBy(shortOrderIdOf(orderIdOf(randomUUIDv7()))!)).toBeDefined();
});

test("an id of another version, or of a later time, has no short order", () => {
  for (const id of [
    "019c8f2e-7a41-4d10-9b5c-3f6e2d1a4b7c",
    "019c8f2e-7a41-7d10-cb5c-3f6e2d1a4b7c",
    "200000000000-7d10-9b5c-3f6e2d1a4b7c",
    "",
  ])
    expect(shortOrderIdOf(orderIdOf(id))).toBeUndefined();
});
