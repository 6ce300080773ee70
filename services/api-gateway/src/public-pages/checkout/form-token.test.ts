import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createFormTokens } from "./form-token.ts";

const [old, current] = [randomBytes(32), randomBytes(32)];
const form = { checkoutId: "c-1", paymentId: "p-1" };

test("a token is good for its checkout and its payment, and for nothing else", () => {
  const tokens = createFormTokens({ activeId: "k1", keys: new Map([["k1", current]]) });
  const token = tokens.issue(form);
  expect(tokens.verify(form, token)).toBe(true);
  expect(tokens.verify({ ...form, checkoutId: "c-2" }, token)).toBe(false);
  expect(tokens.verify({ ...form, paymentId: "p-2" }, token)).toBe(false);
  for (const other of [
    "",
    "x",
    token.slice(1),
    `${token}AAAA`,
    tokens.issue({ ...form, paymentId: "p-2" }),
  ]) {
    expect(tokens.verify(form, other)).toBe(false);
  }
});

test("forms outlive a rotation of the keys, and not the key they were made with", () => {
  const before = createFormTokens({ activeId: "old", keys: new Map([["old", old]]) });
  const during = createFormTokens({
    activeId: "new",
    keys: new Map([
      ["new", current],
      ["old", old],
    ]),
  });
  const after = createFormTokens({ activeId: "new", keys: new Map([["new", current]]) });
  expect(during.verify(form, before.issue(form))).toBe(true);
  expect(after.verify(form, during.issue(form))).toBe(true);
  expect(after.verify(form, before.issue(form))).toBe(false);
});
