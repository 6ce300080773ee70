import { expect, test } from "vitest";
import { nextDifference } from "./next-difference.ts";

const listed = (
  [
    ["passed over", "OPEN", undefined],
    ["my own", "PROPOSED", "alice"],
    ["another's", "PROPOSED", "bora"],
    ["ended", "CLOSED", undefined],
    ["last", "OPEN", undefined],
  ] as const
).map(([differenceId, state, proposedBy], index) => ({
  differenceId,
  state,
  openedAt: `2026-11-2${index}T12:00:00.000Z`,
  ...(proposedBy !== undefined && { proposedBy }),
}));

test.each([
  ["2026-11-21T12:00:00.000Z", "another's"],
  ["2026-11-23T12:00:00.000Z", "last"],
  ["2026-11-25T12:00:00.000Z", "passed over"],
  ["", "passed over"],
  ["nothing", "passed over"],
])("after one of %s the next to close is %s", (after, expected) => {
  expect(nextDifference(listed, { after, person: "alice" })?.differenceId).toBe(expected);
});

test("there is none where all have ended, or wait for somebody else", () => {
  const ended = listed.filter(({ differenceId }) => ["my own", "ended"].includes(differenceId));
  expect(nextDifference(ended, { after: "", person: "alice" })).toBeUndefined();
});
