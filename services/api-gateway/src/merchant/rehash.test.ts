import { randomBytes } from "node:crypto";
import { expect, test, vi } from "vitest";
import { hashSecret, issueCredential, proofOfSecret } from "./credential.ts";
import { createRehash } from "./rehash.ts";
import type { StoredCredential } from "./sign-in.ts";

const older = { activeId: "p1", keys: new Map([["p1", randomBytes(32)]]) };
const peppers = { activeId: "p2", keys: new Map([["p2", randomBytes(32)], ...older.keys]) };

function credential(): { apiKey: string; apiSecret: string; stored: StoredCredential } {
  const { apiKey, apiSecret, hash } = issueCredential(older);
  return { apiKey, apiSecret, stored: { hash, merchant: { merchantId: "" }, usable: true } };
}

test("the row goes to the active pepper with a proof of the secret, and what is cached with it", async () => {
  const { apiKey, apiSecret, stored } = credential();
  const proof = proofOfSecret(older, stored.hash, apiSecret);
  const replaceHash = vi.fn(async () => {});
  createRehash({ peppers, replaceHash, onFailed: vi.fn() })(apiKey, stored, apiSecret);
  await vi.waitFor(() => expect(stored.hash).toEqual(hashSecret(peppers, apiSecret)));
  expect(replaceHash.mock.calls).toEqual([[apiKey, proof, stored.hash]]);
});

test("one credential is changed once at a time, and two at most; the others stay for a later sign-in", async () => {
  const release = Promise.withResolvers<void>();
  const replaceHash = vi.fn(() => release.promise);
  const rehash = createRehash({ peppers, replaceHash, onFailed: vi.fn() });
  const [first, second, third] = [credential(), credential(), credential()];
  for (const { apiKey, stored, apiSecret } of [first, first, second, third]) {
    rehash(apiKey, stored, apiSecret);
  }
  expect(replaceHash).toHaveBeenCalledTimes(2);
  release.resolve();
  await vi.waitFor(() => expect(second.stored.hash.pepperId).toBe("p2"));
  expect(third.stored.hash.pepperId).toBe("p1");
  rehash(third.apiKey, third.stored, third.apiSecret);
  await vi.waitFor(() => expect(third.stored.hash.pepperId).toBe("p2"));
});

test("a failure is reported, changes nothing, and does not stop the next attempt", async () => {
  const { apiKey, apiSecret, stored } = credential();
  const replaceHash = vi.fn(async () => {}).mockRejectedValueOnce(new Error("no database"));
  const onFailed = vi.fn();
  const rehash = createRehash({ peppers, replaceHash, onFailed });
  rehash(apiKey, stored, apiSecret);
  await vi.waitFor(() => expect(onFailed).toHaveBeenCalledTimes(1));
  expect(stored.hash.pepperId).toBe("p1");
  await vi.waitFor(() => {
    rehash(apiKey, stored, apiSecret);
    expect(stored.hash.pepperId).toBe("p2");
  });
});
