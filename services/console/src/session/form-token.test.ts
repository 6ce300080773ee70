import { expect, test } from "vitest";
import { formTokenOf, isFormToken } from "./form-token.ts";

test("a form's token is good for its session and for no other", () => {
  const token = formTokenOf("session-1");
  expect(isFormToken("session-1", token)).toBe(true);
  expect(isFormToken("session-2", token)).toBe(false);
  for (const wrong of ["", token.slice(1), `${token}a`, "é"])
    expect(isFormToken("session-1", wrong)).toBe(false);
});
