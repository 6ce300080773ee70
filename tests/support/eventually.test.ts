import { expect, test } from "vitest";
import { eventually } from "./eventually.ts";

test("it resolves to the first answer that is not false", async () => {
  let calls = 0;
  expect(await eventually(() => ++calls === 3 && "third", { everyMs: 1 })).toBe("third");
});

test("expectations may fail at first", async () => {
  let calls = 0;
  await eventually(() => expect(++calls).toBe(3), { everyMs: 1 });
  expect(calls).toBe(3);
});

test("at the deadline the last failure is shown", async () => {
  let calls = 0;
  const waiting = eventually(() => Promise.reject(new Error(`failure ${++calls}`)), {
    withinMs: 20,
    everyMs: 1,
  });
  const error = await waiting.catch((thrown: Error) => thrown);
  expect(error).toMatchObject({ message: `not so within 20 ms; last: failure ${calls}` });
});

test("a check that hangs ends at the deadline", async () => {
  const waiting = eventually(() => Promise.withResolvers<void>().promise, { withinMs: 20 });
  await expect(waiting).rejects.toThrow("not so within 20 ms; last: the check itself did not end");
});
