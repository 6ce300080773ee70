import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createKeyedRecipient, createReplyRecipient, sealReply } from "./reply-sealer.ts";

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
