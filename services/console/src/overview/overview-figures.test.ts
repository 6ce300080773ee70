import { expect, test } from "vitest";
import { countByAge } from "./overview-figures.ts";

test("an age at a limit belongs to the older group", () => {
  expect(countByAge([0, 9, 10, 19, 20, 500], [10, 20])).toEqual([2, 2, 2]);
  expect(countByAge([], [10])).toEqual([0, 0]);
});
