import { createHash, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { isApiKey, isTestKey, issueCredential, proofOfSecret, secretMatches } from "./credential.ts";

const [first, second] = [randomBytes(32), randomBytes(32)];
const ring = {
  activeId: "p2",
  keys: new Map([
    ["p1", first],
    ["p2", second],
  ]),
};

test("an issued credential verifies, and only with its own secret", () => {
  const { apiSecret, hash } = issueCredential(ring);
  expect(secretMatches(ring, hash, apiSecret)).toBe(true);
  expect(secretMatches(ring, hash, `${apiSecret} `)).toBe(false);
  expect(secretMatches(ring, hash, issueCredential(ring).apiSecret)).toBe(false);
  expect(secretMatches(ring, hash, "")).toBe(false);
});

test("the hash of a secret's proof is what is stored, and the stored hash is no proof", () => {
  const { apiSecret, hash } = issueCredential({ ...ring, activeId: "p1" });
  const proof = proofOfSecret(ring, hash, apiSecret);
  expect(proof.pepperId).toBe("p1");
  expect(createHash("sha256").update(proof.secretHmac).digest()).toEqual(hash.secretHash);
  expect(proof.secretHmac).not.toEqual(hash.secretHash);
});

test("keys and secrets are random, of their documented form, and the secret has 256 bits", () => {
  const issued = Array.from({ length: 100 }, () => issueCredential(ring));
  expect(new Set(issued.flatMap(({ apiKey, apiSecret }) => [apiKey, apiSecret])).size).toBe(200);
  for (const { apiKey, apiSecret, hash } of issued) {
    expect(isApiKey(apiKey)).toBe(true);
    expect(apiSecret).toMatch(/^hs_[\w-]{43}$/);
    expect(hash.secretHash.toString("latin1")).not.toContain(apiSecret);
  }
});

test("a key says its mode, and nothing of another form is one", () => {
  const [live, tested] = [true, false].map((livemode) => issueCredential(ring, { livemode }).apiKey);
  expect(live).toMatch(/^hk_live_[\w-]{24}$/);
  expect(tested).toMatch(/^hk_test_[\w-]{24}$/);
  expect([isTestKey(live!), isTestKey(tested!), isApiKey(tested!)]).toEqual([false, true, true]);
  const name = "A".repeat(24);
  for (const other of [`hk_${name}`, `hk_prod_${name}`, `hk_test_${name}A`, `hk_live_${name.slice(1)}`])
    expect(isApiKey(other), other).toBe(false);
});

test("what was hashed under an earlier pepper verifies while that pepper is in the ring, and not without it", () => {
  const { apiSecret, hash } = issueCredential({ ...ring, activeId: "p1" });
  expect(hash.pepperId).toBe("p1");
  expect(secretMatches(ring, hash, apiSecret)).toBe(true);
  expect(secretMatches({ activeId: "p2", keys: new Map([["p2", second]]) }, hash, apiSecret)).toBe(false);
});

test("a hash that names a pepper outside the ring matches nothing, whichever pepper has made it", () => {
  const { apiSecret, hash } = issueCredential(ring);
  expect(secretMatches(ring, { ...hash, pepperId: "p0" }, apiSecret)).toBe(false);
});
