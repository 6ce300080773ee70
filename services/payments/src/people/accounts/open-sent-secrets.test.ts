import { randomBytes } from "node:crypto";
import { sealReply } from "@holdfast/sealing";
import { expect, test } from "vitest";
import { openSentSecrets, sealToOf } from "./open-sent-secrets.ts";

const [first, second] = [randomBytes(32), randomBytes(32)];
const ring = { activeId: "a1", keys: new Map([["a1", first]]) };
const rotated = {
  activeId: "a2",
  keys: new Map([
    ["a2", second],
    ["a1", first],
  ]),
};
const secrets = { apiPassword: "s3cret-pass" };
const seal = (owner: string) => sealReply(sealToOf(ring).sealTo!, JSON.stringify({ for: owner, secrets }));

test("credentials are opened for their account, also under a key that was replaced meanwhile", () => {
  expect(openSentSecrets(ring, seal("account"), "account")).toEqual(secrets);
  expect(openSentSecrets(rotated, seal("account"), "account")).toEqual(secrets);
});

test("they are nobody else's, and for no other account", () => {
  expect(openSentSecrets(ring, seal("account"), "another")).toBeUndefined();
  const stranger = { activeId: "b1", keys: new Map([["b1", second]]) };
  expect(openSentSecrets(stranger, seal("account"), "account")).toBeUndefined();
  expect(openSentSecrets(undefined, seal("account"), "account")).toBeUndefined();
});

test("without a ring there is no key to seal to", () => {
  expect(sealToOf(undefined)).toEqual({});
});
