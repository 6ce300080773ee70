import { expect, test } from "vitest";
import { extendAckWait } from "./extend-ack-wait.ts";

test("what has been here for half a minute is left to another dispatcher", () => {
  const said: string[] = [];
  const since = (name: string, sinceMs: number) => ({
    message: { working: () => void said.push(name) },
    sinceMs,
    ended: Promise.resolve(),
  });
  const underway = [since("old", 0), since("young", 1)];
  extendAckWait(underway, 29_999);
  expect(said.splice(0)).toEqual(["old", "young"]);
  extendAckWait(underway, 30_000);
  expect(said).toEqual(["young"]);
});
