import * as crypto from "node:crypto";
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { testIdOf } from "@holdfast/contracts";
import type { KeyRing } from "@holdfast/service-runtime";
import { mayUse, type Restrictions } from "./restrictions.ts";
import type { StoredCredential } from "./sign-in.ts";

vi.mock("node:crypto", async (importOriginal) => {
  const original = await importOriginal<typeof crypto>();
  return {
    ...original,
    createHmac: vi.fn(original.createHmac),
    hash: vi.fn(original.hash),
    timingSafeEqual: vi.fn(original.timingSafeEqual),
  };
});

// Another file's tests may have loaded these, with the real functions.
vi.resetModules();
const { DatabaseUnavailableError } = await import("@holdfast/postgres");
const { issueCredential } = await import("./credential.ts");
const { createSignIn } = await import("./sign-in.ts");
afterAll(() => void vi.resetModules());

const TTL_MS = 5_000;
const ADDRESS = "203.0.113.7";
const peppers = { activeId: "p1", keys: new Map([["p1", crypto.randomBytes(32)]]) };
const merchant = { merchantId: "0199aaaa-0000-7000-8000-000000000001" };

function setUp({
  usable = true,
  restrictions = {},
  waitingMax = 100,
  peppers: ring = peppers,
}: { usable?: boolean; restrictions?: Restrictions; waitingMax?: number; peppers?: KeyRing } = {}) {
  const issued = issueCredential(peppers);
  const stored = new Map<string, StoredCredential>([
    [issued.apiKey, { hash: issued.hash, merchant, usable, mayUse: mayUse(restrictions) }],
  ]);
  const clock = { now: () => clock.time, time: 1_000 };
  const findCredential = vi.fn(async (apiKey: string) => stored.get(apiKey));
  const rehash = vi.fn();
  const noteUse = vi.fn();
  const signIn = createSignIn({
    findCredential,
    peppers: ring,
    rehash,
    noteUse,
    cacheTtlMs: TTL_MS,
    waitingMax,
    clock,
  });
  return { ...issued, stored, clock, findCredential, rehash, noteUse, signIn };
}

function unknownKey(): string {
  return issueCredential(peppers).apiKey;
}

describe("who signs in", () => {
  test("is the merchant of the key, with its secret", async () => {
    const { signIn, apiKey, apiSecret } = setUp();
    expect(await signIn.verify(apiKey, apiSecret, ADDRESS)).toBe(merchant);
  });

  test("is nobody with a wrong secret, an unknown key, or nothing", async () => {
    const { signIn, apiKey, apiSecret } = setUp();
    expect(await signIn.verify(apiKey, unknownKey(), ADDRESS)).toBeUndefined();
    expect(await signIn.verify(unknownKey(), apiSecret, ADDRESS)).toBeUndefined();
    expect(await signIn.verify("", "", ADDRESS)).toBeUndefined();
  });

  test("is nobody with a credential that is not usable, although its secret is right", async () => {
    const { signIn, apiKey, apiSecret } = setUp({ usable: false });
    expect(await signIn.verify(apiKey, apiSecret, ADDRESS)).toBeUndefined();
  });
});

describe("a credential with restrictions", () => {
  test("signs in before its end, and not from then on, although it is cached", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const { signIn, apiKey, apiSecret } = setUp({
      restrictions: { expiresAt: new Date(Date.now() + 1_000) },
    });
    expect(await signIn.verify(apiKey, apiSecret, ADDRESS)).toBe(merchant);
    vi.setSystemTime(Date.now() + 1_000);
    expect(await signIn.verify(apiKey, apiSecret, ADDRESS)).toBeUndefined();
  });

  test("signs in from its addresses alone, and only what signs in counts as a use", async () => {
    const { signIn, apiKey, apiSecret, noteUse } = setUp({
      restrictions: { addresses: ["203.0.113.0/24", "2001:db8::/32"] },
    });
    for (const address of ["198.51.100.7", "2001:db9::1", ""])
      expect(await signIn.verify(apiKey, apiSecret, address)).toBeUndefined();
    expect(noteUse).not.toHaveBeenCalled();
    for (const address of ["203.0.113.7", "2001:db8::1", "::ffff:203.0.113.7"])
      expect(await signIn.verify(apiKey, apiSecret, address)).toBe(merchant);
    expect(noteUse).toHaveBeenCalledTimes(3);
  });
});

describe("a pepper that is not the active one", () => {
  const older = { activeId: "p0", keys: new Map([["p0", crypto.randomBytes(32)]]) };
  const rotated = { activeId: "p1", keys: new Map([...peppers.keys, ...older.keys]) };

  test("is left at a successful sign-in, and not at another", async () => {
    const { signIn, rehash, stored, apiKey } = setUp({ peppers: rotated });
    const { hash, apiSecret } = issueCredential(older);
    stored.set(apiKey, { hash, merchant, usable: true });
    expect(await signIn.verify(apiKey, "hs_wrong", ADDRESS)).toBeUndefined();
    expect(rehash).not.toHaveBeenCalled();
    expect(await signIn.verify(apiKey, apiSecret, ADDRESS)).toBe(merchant);
    expect(rehash.mock.calls).toEqual([[apiKey, stored.get(apiKey), apiSecret]]);
  });
});

describe("the same work for every attempt", () => {
  beforeEach(() => vi.clearAllMocks());

  test.each([
    ["a known key", (known: { apiKey: string; apiSecret: string }) => [known.apiKey, known.apiSecret]],
    ["a wrong secret", (known: { apiKey: string }) => [known.apiKey, "hs_wrong"]],
    ["an unknown key", () => [unknownKey(), "hs_wrong"]],
    ["a key that cannot be one", () => ["x", "hs_wrong"]],
    ["nothing", () => ["", ""]],
  ] as const)(
    "%s costs one HMAC-SHA-256, one SHA-256 and one comparison of 32 bytes",
    async (_case, attempt) => {
      const { signIn, ...known } = setUp();
      const [apiKey, apiSecret] = attempt(known);
      vi.clearAllMocks();
      await signIn.verify(apiKey!, apiSecret!, ADDRESS);
      expect(vi.mocked(crypto.createHmac).mock.calls).toEqual([["sha256", peppers.keys.get("p1")]]);
      expect(vi.mocked(crypto.hash).mock.calls).toEqual([["sha256", expect.any(Buffer), "buffer"]]);
      expect(
        vi.mocked(crypto.timingSafeEqual).mock.calls.map((pair) => pair.map((side) => side.byteLength)),
      ).toEqual([[32, 32]]);
    },
  );
});

describe("the cache", () => {
  test("spares the database, for keys that exist and for keys that do not", async () => {
    const { signIn, findCredential, apiKey, apiSecret } = setUp();
    const unknown = unknownKey();
    for (const key of [apiKey, unknown, apiKey, unknown]) await signIn.verify(key, apiSecret, ADDRESS);
    expect(findCredential.mock.calls).toEqual([[apiKey], [unknown]]);
  });

  test("asks once for requests that come at the same time", async () => {
    const { signIn, findCredential, apiKey, apiSecret } = setUp();
    await Promise.all(Array.from({ length: 20 }, () => signIn.verify(apiKey, apiSecret, ADDRESS)));
    expect(findCredential).toHaveBeenCalledTimes(1);
  });

  test("does not ask for what cannot be a key", async () => {
    const { signIn, findCredential } = setUp();
    for (const key of ["", "hk_short", "hk_'; drop table merchant; --", `hk_${"a".repeat(10_000)}`]) {
      await signIn.verify(key, "hs_wrong", ADDRESS);
    }
    expect(findCredential).not.toHaveBeenCalled();
  });

  test("lets a revocation act when its time is over", async () => {
    const { signIn, stored, clock, apiKey, apiSecret } = setUp();
    await signIn.verify(apiKey, apiSecret, ADDRESS);
    stored.set(apiKey, { ...stored.get(apiKey)!, usable: false });
    clock.time += TTL_MS - 1;
    expect(await signIn.verify(apiKey, apiSecret, ADDRESS)).toBe(merchant);
    clock.time += 2;
    expect(await signIn.verify(apiKey, apiSecret, ADDRESS)).toBeUndefined();
  });

  test("counts its time from before the database was asked", async () => {
    const { signIn, findCredential, stored, clock, apiKey, apiSecret } = setUp();
    findCredential.mockImplementationOnce(async () => {
      const seen = stored.get(apiKey);
      clock.time += 4_000;
      return seen;
    });
    await signIn.verify(apiKey, apiSecret, ADDRESS);
    stored.set(apiKey, { ...stored.get(apiKey)!, usable: false });
    clock.time += TTL_MS - 4_000 + 1;
    expect(await signIn.verify(apiKey, apiSecret, ADDRESS)).toBeUndefined();
  });

  test("forgets a merchant's keys of both modes at once when it is told to, and no others", async () => {
    const { signIn, stored, findCredential, apiKey, apiSecret } = setUp();
    const other = issueCredential(peppers);
    stored.set(other.apiKey, { hash: other.hash, merchant: { merchantId: "other" }, usable: true });
    await signIn.verify(apiKey, apiSecret, ADDRESS);
    await signIn.verify(other.apiKey, other.apiSecret, ADDRESS);
    const tested = issueCredential(peppers, { livemode: false });
    const ofTestMode = { hash: tested.hash, merchant: { merchantId: testIdOf(merchant.merchantId) } };
    stored.set(tested.apiKey, { ...ofTestMode, usable: true });
    expect(await signIn.verify(tested.apiKey, tested.apiSecret, ADDRESS)).toBe(ofTestMode.merchant);
    stored.set(apiKey, { ...stored.get(apiKey)!, usable: false });
    stored.set(tested.apiKey, { ...ofTestMode, usable: false });
    findCredential.mockClear();
    signIn.forget(merchant.merchantId);
    expect(await signIn.verify(apiKey, apiSecret, ADDRESS)).toBeUndefined();
    expect(await signIn.verify(other.apiKey, other.apiSecret, ADDRESS)).toEqual({ merchantId: "other" });
    expect(await signIn.verify(tested.apiKey, tested.apiSecret, ADDRESS)).toBeUndefined();
    expect(findCredential.mock.calls).toEqual([[apiKey], [tested.apiKey]]);
  });

  test("does not keep what a look-up read before it was told to forget", async () => {
    const { signIn, stored, findCredential, apiKey, apiSecret } = setUp();
    const reading = Promise.withResolvers<StoredCredential>();
    findCredential.mockReturnValueOnce(reading.promise);
    const before = signIn.verify(apiKey, apiSecret, ADDRESS);
    const old = stored.get(apiKey)!;
    stored.set(apiKey, { ...old, usable: false });
    signIn.forget(merchant.merchantId);
    const after = signIn.verify(apiKey, apiSecret, ADDRESS);
    reading.resolve(old);
    expect(await before).toBe(merchant);
    expect(await after).toBeUndefined();
    expect(await signIn.verify(apiKey, apiSecret, ADDRESS)).toBeUndefined();
  });

  test("lets only so many wait for the database, and those that are cached in", async () => {
    const { signIn, findCredential, apiKey, apiSecret } = setUp({ waitingMax: 2 });
    await signIn.verify(apiKey, apiSecret, ADDRESS);
    const reading = Promise.withResolvers<undefined>();
    findCredential.mockReturnValue(reading.promise);
    const waiting = [signIn.verify(unknownKey(), "", ADDRESS), signIn.verify(unknownKey(), "", ADDRESS)];
    await expect(signIn.verify(unknownKey(), "", ADDRESS)).rejects.toThrow(DatabaseUnavailableError);
    expect(await signIn.verify(apiKey, apiSecret, ADDRESS)).toBe(merchant);
    reading.resolve(undefined);
    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
    expect(await signIn.verify(unknownKey(), "", ADDRESS)).toBeUndefined();
  });

  test("keeps the good keys however many random ones are tried", async () => {
    const { signIn, findCredential, apiKey, apiSecret } = setUp();
    await signIn.verify(apiKey, apiSecret, ADDRESS);
    for (let index = 0; index < 12_000; index++)
      await signIn.verify(`hk_live_${String(index).padStart(24, "0")}`, "", ADDRESS);
    findCredential.mockClear();
    expect(await signIn.verify(apiKey, apiSecret, ADDRESS)).toBe(merchant);
    expect(findCredential).not.toHaveBeenCalled();
  });

  test("carries on without the database while it is fresh, and then says that it cannot", async () => {
    const { signIn, findCredential, clock, apiKey, apiSecret } = setUp();
    await signIn.verify(apiKey, apiSecret, ADDRESS);
    findCredential.mockRejectedValue(new Error("down"));
    expect(await signIn.verify(apiKey, apiSecret, ADDRESS)).toBe(merchant);
    clock.time += TTL_MS + 1;
    await expect(signIn.verify(apiKey, apiSecret, ADDRESS)).rejects.toThrow("down");
    findCredential
      .mockReset()
      .mockResolvedValue({ hash: issueCredential(peppers).hash, merchant, usable: true });
    expect(await signIn.verify(apiKey, apiSecret, ADDRESS)).toBeUndefined();
  });
});
