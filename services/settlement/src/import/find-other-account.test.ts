import { expect, test } from "vitest";
import { otherAccount } from "./find-other-account.ts";

test.each([
  ["of our own account", ["own", "own"], undefined],
  ["with a single line of our own account", ["other", "other", "other", "own"], undefined],
  ["of nobody's payments", [null, null], undefined],
  ["without a reference", [], undefined],
  ["of another account", ["other", "other"], "other"],
  ["most of whose lines name another account", ["other", "other", null], "other"],
  ["half of whose lines nobody knows", ["other", null], undefined],
  ["of several others", ["other", "third"], undefined],
])("a file %s", (_, named, found) => {
  expect(otherAccount(named, "own")).toBe(found);
});
