import { expect, test } from "vitest";
import { shareUnderWay } from "./share-under-way.ts";

/** Work that ends when the test says so, and the things that it was begun for. */
function setUp() {
  const begun: string[] = [];
  const ends: PromiseWithResolvers<string>[] = [];
  const look = shareUnderWay(async (id) => {
    begun.push(id);
    const end = Promise.withResolvers<string>();
    ends.push(end);
    return await end.promise;
  });
  return { begun, ends, look };
}

test("calls about one thing that come together share one outcome, and another thing has its own", async () => {
  const { begun, ends, look } = setUp();
  const looks = [look("one"), look("one"), look("other"), look("one")];
  expect(begun).toEqual(["one", "other"]);
  ends[0]!.resolve("of one");
  ends[1]!.resolve("of the other");
  expect(await Promise.all(looks)).toEqual(["of one", "of one", "of the other", "of one"]);
});

test("a call that comes after the end is begun again, also where the one before failed", async () => {
  const { begun, ends, look } = setUp();
  const failing = [look("one"), look("one")];
  ends[0]!.reject(new Error("away"));
  for (const each of failing) await expect(each).rejects.toThrow("away");
  const later = look("one");
  ends[1]!.resolve("there");
  expect(await later).toBe("there");
  expect(begun).toEqual(["one", "one"]);
});
