import { expect, test } from "vitest";

import { Sessions } from "./sessions.ts";

test("a session is found by each of its keys, until there are too many newer ones", () => {
  const sessions = new Sessions<{ number: number }>();
  for (let number = 0; number <= 100_000; number += 1)
    sessions.add({ number }, [`id ${number}`, `md ${number}`]);
  expect([sessions.find("id 0"), sessions.find("md 0")]).toEqual([undefined, undefined]);
  expect(sessions.find("id 1")).toBe(sessions.find("md 1"));
  expect(sessions.find("md 1")).toEqual({ number: 1 });
});
