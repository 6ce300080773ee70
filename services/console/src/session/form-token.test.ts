import { expect, test } from "vitest";
import { formTokenOf, isFormToken, pageIn, pageTokenOf, personOf } from "./form-token.ts";
import type { Session } from "./session.ts";

const RING = { activeId: "k1", keys: new Map([["k1", Buffer.alloc(32, 1)]]) };
const OTHER_RING = { activeId: "k2", keys: new Map([["k2", Buffer.alloc(32, 2)]]) };
const SESSION: Session = {
  id: "session-1",
  subject: "alice",
  roles: new Set(),
  accessToken: "",
  idToken: "",
  beganAt: new Date(),
  authenticatedAt: new Date(),
};

test("a form's token is good for its session and for no other", () => {
  for (const token of [formTokenOf("session-1"), pageTokenOf(RING, SESSION, false)]) {
    expect(isFormToken("session-1", token)).toBe(true);
    expect(isFormToken("session-2", token)).toBe(false);
  }
  const token = formTokenOf("session-1");
  for (const wrong of ["", token.slice(1), `${token}a`, "é"])
    expect(isFormToken("session-1", wrong)).toBe(false);
});

test("a page's token names the person whom the page was made for, and its mode, and only the console can write it", () => {
  const token = pageTokenOf(RING, SESSION, true);
  expect(pageIn(RING, token)).toEqual({ person: personOf(SESSION), isTest: true });
  expect(pageIn(RING, pageTokenOf(RING, SESSION, false))).toMatchObject({ isTest: false });
  expect(pageIn(RING, token, Date.now() + 86_400_001)).toBeUndefined();
  expect(token).not.toContain(personOf(SESSION).toString("base64url"));
  expect(pageIn(OTHER_RING, token)).toBeUndefined();
  const [, sealed] = token.split(".");
  const wrong = ["", ".", "stale", formTokenOf("session-1"), `.${sealed!.slice(4)}`, `${token}AAAA`];
  for (const given of wrong) expect(pageIn(RING, given), given).toBeUndefined();
});

test("the same name is another person as another merchant's staff, and as an operator", () => {
  const staffOf = (merchantId: string) =>
    personOf({ subject: "alice", staff: { merchantId, roles: new Set() } }).toString("hex");
  const all = [personOf(SESSION).toString("hex"), staffOf("m1"), staffOf("m2")];
  expect(new Set(all).size).toBe(3);
});
