import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import {
  createKeyedRecipient,
  createReplyRecipient,
  createRingRecipient,
  sealReply,
} from "./reply-sealer.ts";

test("the recipient of the request opens the answer; nothing of the text is in it", () => {
  const recipient = createReplyRecipient();
  const sealed = sealReply(recipient.publicKey, "whs_secret");
  expect(recipient.open(sealed)).toBe("whs_secret");
  const wire = Buffer.from(JSON.stringify(sealed));
  for (const form of ["whs_secret", Buffer.from("whs_secret").toString("base64url")]) {
    expect(wire.includes(form)).toBe(false);
  }
});

test("another recipient, or one bit changed, opens nothing", () => {
  const recipient = createReplyRecipient();
  const sealed = sealReply(recipient.publicKey, "whs_secret");
  expect(() => createReplyRecipient().open(sealed)).toThrow(/authenticate/);
  const bytes = Buffer.from(sealed.ciphertext, "base64url");
  bytes[0]! ^= 1;
  expect(() => recipient.open({ ...sealed, ciphertext: bytes.toString("base64url") })).toThrow(
    /authenticate/,
  );
});

test("whoever has the same key is the same recipient, and nobody else", () => {
  const [key, other] = [randomBytes(32), randomBytes(32)];
  const sealed = sealReply(createKeyedRecipient(key).publicKey, "s3cret-pass");
  expect(createKeyedRecipient(key).open(sealed)).toBe("s3cret-pass");
  expect(() => createKeyedRecipient(other).open(sealed)).toThrow(/authenticate/);
});

test("a service opens what was sealed to any key of its ring, while keys are replaced", () => {
  const [old, fresh] = [randomBytes(32), randomBytes(32)];
  const before = createRingRecipient({ activeId: "k1", keys: new Map([["k1", old]]) });
  const after = createRingRecipient({
    activeId: "k2",
    keys: new Map([
      ["k2", fresh],
      ["k1", old],
    ]),
  });
  const bytes = randomBytes(1_000);
  expect(after.open(sealReply(before.publicKey, bytes))?.equals(bytes)).toBe(true);
  expect(after.open(sealReply(after.publicKey, bytes))?.equals(bytes)).toBe(true);
  expect(before.open(sealReply(after.publicKey, bytes))).toBeUndefined();
});
