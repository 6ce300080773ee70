import { randomBytes, randomUUID } from "node:crypto";
import { SecretUnreadableError } from "@holdfast/sealing";
import { expect, test } from "vitest";
import {
  createSecretOpener,
  decryptSecret,
  generateSecret,
  encryptSecret,
  signingSecrets,
} from "./endpoint-secrets.ts";
import type { StoredEndpoint } from "./stored-endpoint.ts";

const endpointId = randomUUID();
const ring = { activeId: "k1", keys: new Map([["k1", randomBytes(32)]]) };

test("a secret is 256 random bits and comes back as it was", () => {
  const secret = generateSecret();
  expect(secret).toMatch(/^whs_[\w-]{43}$/);
  expect(generateSecret()).not.toBe(secret);
  const stored = encryptSecret(ring, endpointId, secret);
  expect(stored.includes(secret)).toBe(false);
  expect(decryptSecret(ring, endpointId, stored)).toBe(secret);
});

test("an older key of the ring still opens what it closed", () => {
  const stored = encryptSecret(ring, endpointId, "whs_old");
  const rotated = { activeId: "k2", keys: new Map([["k2", randomBytes(32)], ...ring.keys]) };
  expect(decryptSecret(rotated, endpointId, stored)).toBe("whs_old");
  expect(encryptSecret(rotated, endpointId, "x").toString("utf8", 2, 4)).toBe("k2");
});

test("another endpoint's row, another key, or one bit changed opens nothing", () => {
  const stored = encryptSecret(ring, endpointId, "whs_secret");
  const foreign = { activeId: "k1", keys: new Map([["k1", randomBytes(32)]]) };
  const unknown = { activeId: "k9", keys: new Map([["k9", randomBytes(32)]]) };
  const changed = Buffer.from(stored);
  changed[20]! ^= 1;
  expect(() => decryptSecret(ring, randomUUID(), stored)).toThrow(SecretUnreadableError);
  expect(() => decryptSecret(foreign, endpointId, stored)).toThrow(SecretUnreadableError);
  expect(() => decryptSecret(unknown, endpointId, stored)).toThrow(SecretUnreadableError);
  expect(() => decryptSecret(ring, endpointId, changed)).toThrow(SecretUnreadableError);
  for (const bytes of [0, 1, 4, 10, 20]) {
    expect(() => decryptSecret(ring, endpointId, stored.subarray(0, bytes))).toThrow(SecretUnreadableError);
  }
});

test("what was opened is kept for its endpoint and its bytes alone, also among more than are kept", () => {
  const open = createSecretOpener(ring);
  const stored = encryptSecret(ring, endpointId, "whs_one");
  const current = { secret: stored, version: 1 };
  expect(open(endpointId, { current })).toEqual({ current: { secret: "whs_one", version: 1 } });
  expect(open(randomUUID(), { current })).toBeUndefined();
  const next = { secret: encryptSecret(ring, endpointId, "whs_two"), version: 2 };
  expect(open(endpointId, { current, next })?.next).toEqual({ secret: "whs_two", version: 2 });
  // The secret is not opened again: the key is gone, and the opened secret is still cached.
  const vanishing = { ...ring, keys: new Map(ring.keys) };
  const kept = createSecretOpener(vanishing);
  kept(endpointId, { current });
  vanishing.keys.clear();
  expect(kept(endpointId, { current })?.current.secret).toBe("whs_one");
  expect(kept(endpointId, { current: next })).toBeUndefined();
  for (let index = 0; index < 10_000; index++) {
    const another = { secret: encryptSecret(ring, endpointId, `whs_${index}`), version: index };
    expect(open(endpointId, { current: another })?.current.secret).toBe(`whs_${index}`);
  }
  expect(open(endpointId, { current })?.current.secret).toBe("whs_one");
});

test("the old secret signs until the new one's time has come, and the new one alone from then on", () => {
  const endpoint: StoredEndpoint = {
    endpoint_id: endpointId,
    url: "https://example.com",
    state: "on",
    max_in_flight: 8,
    secret: Buffer.from("old"),
    secret_version: 3,
    next_secret: Buffer.from("new"),
    next_version: 4,
    activates_at: new Date(1_000),
    headers: null,
  };
  const current = { secret: Buffer.from("old"), version: 3 };
  const next = { secret: Buffer.from("new"), version: 4 };
  expect(signingSecrets(endpoint, new Date(999))).toEqual({ current, next });
  expect(signingSecrets(endpoint, new Date(1_000))).toEqual({ current: next });
  expect(
    signingSecrets({ ...endpoint, next_secret: null, next_version: null, activates_at: null }, new Date(0)),
  ).toEqual({ current });
});
