import { randomBytes, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { createSignedSessions } from "./signed-session.ts";

const LIFETIME_MS = 60_000;
const NOW = Date.UTC(2026, 10, 20);
const ring = (...ids: string[]) => ({
  activeId: ids[0]!,
  keys: new Map(ids.map((id) => [id, randomBytes(32)])),
});
const keys = ring("k1");
const sessions = createSignedSessions(keys, { lifetimeMs: LIFETIME_MS });
const ids = { paymentId: randomUUID(), sessionId: randomUUID() };
const state = sessions.sign(ids, "return", NOW);

test("a state names the payment and the session it was signed for, until it expires", () => {
  expect(sessions.verify(state, "return", NOW)).toEqual({ kind: "valid", ids });
  expect(sessions.verify(state, "return", NOW + LIFETIME_MS - 1)).toEqual({ kind: "valid", ids });
  expect(sessions.verify(state, "return", NOW + LIFETIME_MS)).toEqual({ kind: "expired" });
});

test("needs no escaping in a path", () => {
  expect(state).toMatch(/^[\w.-]+$/);
  expect(encodeURIComponent(state)).toBe(state);
});

test("what leads to the challenge does not bring anybody back", () => {
  expect(sessions.verify(state, "challenge", NOW)).toEqual({ kind: "forged" });
});

test("every single change of a character is noticed", () => {
  for (let index = 0; index < state.length; index += 1) {
    for (const other of ["A", "B", "-", "."]) {
      if (state[index] === other) continue;
      const changed = state.slice(0, index) + other + state.slice(index + 1);
      expect(sessions.verify(changed, "return", NOW), changed).toEqual({ kind: "forged" });
    }
  }
});

test.each([
  ["nothing", ""],
  ["no signature", state.slice(0, state.lastIndexOf("."))],
  ["an empty signature", `${state.slice(0, state.lastIndexOf("."))}.`],
  ["one too long", `${state}A`],
  ["a key that is none", state.replace("k1.", "constructor.")],
  ["another alphabet", `${state.slice(0, -1)}=`],
  ["a second one behind it", `${state}.${state}`],
  ["very much", "A".repeat(100_000)],
])("%s is forged", (_case, forged) => {
  expect(sessions.verify(forged, "return", NOW)).toEqual({ kind: "forged" });
});

test("the parts of two states do not make a third", () => {
  const other = sessions.sign({ paymentId: randomUUID(), sessionId: ids.sessionId }, "return", NOW);
  const [keyId, , signature] = state.split(".");
  expect(sessions.verify(`${keyId}.${other.split(".")[1]}.${signature}`, "return", NOW)).toEqual({
    kind: "forged",
  });
});

test("another gateway's key signs nothing here, and an older key of the ring still does", () => {
  const stranger = createSignedSessions(ring("k1"), { lifetimeMs: LIFETIME_MS });
  expect(stranger.verify(state, "return", NOW)).toEqual({ kind: "forged" });
  const rotated = createSignedSessions(
    { activeId: "k2", keys: new Map([["k2", randomBytes(32)], ...keys.keys]) },
    { lifetimeMs: LIFETIME_MS },
  );
  expect(rotated.verify(state, "return", NOW)).toEqual({ kind: "valid", ids });
  expect(rotated.sign(ids, "return", NOW)).toMatch(/^k2\./);
});
