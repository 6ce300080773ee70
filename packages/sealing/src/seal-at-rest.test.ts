import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import {
  openAtRest,
  openBytesAtRest,
  restKeyIdOf,
  sealAtRest,
  SecretUnreadableError,
} from "./seal-at-rest.ts";

const ring = { activeId: "k1", keys: new Map([["k1", randomBytes(32)]]) };

test("bytes come back as they were, for their row alone, and name their key", () => {
  const bytes = randomBytes(300);
  const stored = sealAtRest(ring, "row 1", bytes);
  expect(openBytesAtRest(ring, "row 1", stored).equals(bytes)).toBe(true);
  expect(restKeyIdOf(stored)).toBe("k1");
  expect(() => openBytesAtRest(ring, "row 2", stored)).toThrow(SecretUnreadableError);
});

test("a text comes back as it was, and one changed bit opens nothing", () => {
  const stored = sealAtRest(ring, "row", "Çığ");
  expect(openAtRest(ring, "row", stored)).toBe("Çığ");
  stored[stored.length - 1]! ^= 1;
  expect(() => openAtRest(ring, "row", stored)).toThrow(SecretUnreadableError);
});
