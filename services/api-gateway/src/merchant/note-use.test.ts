import { expect, test, vi } from "vitest";
import { createNoteUse } from "./note-use.ts";
import type { StoredCredential } from "./sign-in.ts";

const DAY_MS = 86_400_000;

function setUp(write = vi.fn(async () => {})) {
  const clock = { ms: 20_000 * DAY_MS };
  const onFailed = vi.fn();
  const noteUse = createNoteUse({ write, onFailed, now: () => clock.ms });
  const credential = (): StoredCredential => ({
    hash: { secretHash: Buffer.alloc(32), pepperId: "p1" },
    merchant: { merchantId: "" },
    usable: true,
  });
  return { clock, write, onFailed, noteUse, credential };
}

test("a use is noted once a day", async () => {
  const { clock, write, noteUse, credential } = setUp();
  const used = credential();
  for (const [ms, writes] of [
    [0, 1],
    [DAY_MS - 1, 1],
    [DAY_MS, 2],
  ] as const) {
    clock.ms = 20_000 * DAY_MS + ms;
    noteUse("hk_live_a", used);
    await vi.waitFor(() => expect(used.lastUsedDay).toBe(20_000 + Math.floor(ms / DAY_MS)));
    expect(write).toHaveBeenCalledTimes(writes);
  }
});

test("two are written at a time, and one that fails is noted at a sign-in a minute later", async () => {
  const release = Promise.withResolvers<void>();
  const { clock, write, onFailed, noteUse, credential } = setUp(vi.fn(async () => await release.promise));
  const used = credential();
  for (const key of ["hk_live_a", "hk_live_a", "hk_live_b", "hk_live_c"]) noteUse(key, used);
  expect(write.mock.calls).toHaveLength(2);
  release.reject(new Error("the database is away"));
  await vi.waitFor(() => expect(onFailed).toHaveBeenCalledTimes(2));
  expect(used.lastUsedDay).toBeUndefined();
  clock.ms += 59_999;
  noteUse("hk_live_a", used);
  expect(write.mock.calls).toHaveLength(2);
  clock.ms += 1;
  noteUse("hk_live_a", used);
  expect(write.mock.calls).toHaveLength(3);
});
