import { randomBytes, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { restKeyIdOf, SecretUnreadableError } from "@holdfast/sealing";
import { openAccountSecrets, sealAccountSecrets } from "./seal-account-secrets.ts";

const ring = (...ids: string[]) => ({
  activeId: ids[0]!,
  keys: new Map(ids.map((id) => [id, randomBytes(32)])),
});
const binding = { accountId: randomUUID(), version: 2, protocol: "nestpay" };
const secrets = { user: "api", password: "pa55word" };

test("are opened again, under the key that sealed them", () => {
  const both = ring("new", "old");
  const sealed = sealAccountSecrets({ ...both, activeId: "old" }, binding, secrets);
  expect(restKeyIdOf(sealed)).toBe("old");
  expect(openAccountSecrets(both, binding, sealed)).toEqual(secrets);
  expect(sealed.toString("latin1")).not.toContain("pa55word");
  expect(sealAccountSecrets(both, binding, secrets)).not.toEqual(sealAccountSecrets(both, binding, secrets));
});

test.each([
  ["another account", { accountId: randomUUID() }],
  ["another version", { version: 1 }],
  ["another protocol", { protocol: "iyzico" }],
])("are not those of %s", (_, other) => {
  const keys = ring("k");
  const sealed = sealAccountSecrets(keys, binding, secrets);
  expect(() => openAccountSecrets(keys, { ...binding, ...other }, sealed)).toThrow(SecretUnreadableError);
});

test("of a key that is gone, or changed in one bit, are unreadable, and the error says nothing of them", () => {
  const keys = ring("k");
  const sealed = sealAccountSecrets(keys, binding, secrets);
  expect(() => openAccountSecrets(ring("k"), binding, sealed)).toThrow(SecretUnreadableError);
  expect(() => openAccountSecrets(ring("other"), binding, sealed)).toThrow(SecretUnreadableError);
  for (const at of [0, 3, 20, sealed.length - 1]) {
    const changed = Buffer.from(sealed);
    changed[at]! ^= 1;
    expect(() => openAccountSecrets(keys, binding, changed)).toThrow(SecretUnreadableError);
  }
});
