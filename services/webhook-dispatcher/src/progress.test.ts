import { expect, test } from "vitest";
import { createProgress } from "./progress.ts";

test("a loop that has not gone round for too long is named", () => {
  let now = 0;
  const progress = createProgress(1_000, () => now);
  expect(progress.stuck()).toBeUndefined();
  progress.mark("claim");
  progress.mark("accept");
  now = 1_000;
  expect(progress.stuck()).toBeUndefined();
  progress.mark("claim");
  now = 1_001;
  expect(progress.stuck()).toBe("accept");
});
