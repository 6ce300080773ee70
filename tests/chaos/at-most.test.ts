import { expect, test } from "vitest";
import { atMost } from "./at-most.ts";

test("so many are under way and no more, each in its turn, and one that fails makes room too", async () => {
  const inTurn = atMost(2);
  const begun: number[] = [];
  const gates = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
  const works = gates.map(({ promise }, index) =>
    inTurn(async () => {
      begun.push(index);
      await promise;
    }).catch(() => undefined),
  );
  expect(begun).toEqual([0, 1]);
  gates[1]!.reject(new Error("no"));
  await works[1];
  expect(begun).toEqual([0, 1, 2]);
  gates[0]!.resolve();
  await works[0];
  expect(begun).toEqual([0, 1, 2, 3]);
  gates[2]!.resolve();
  gates[3]!.resolve();
  await Promise.all(works);
});
