import { randomBytes, randomUUID } from "node:crypto";
import { inspect } from "node:util";
import { Card } from "@holdfast/contracts";
import { describe, expect, test } from "vitest";
import { CardSealError, createCardOpener, createCardSealer } from "./card-sealer.ts";

const card = new Card({ pan: "4111111111111111", expiryMonth: "12", expiryYear: "30", cvv: "123" });
const ring = {
  activeId: "k2",
  keys: new Map([
    ["k1", randomBytes(32)],
    ["k2", randomBytes(32)],
  ]),
};
const binding = { paymentId: randomUUID(), merchantId: randomUUID() };

describe("a sealed card", () => {
  test("opens to the same data for the payment it was sealed for", () => {
    const sealed = createCardSealer(ring).seal(card, binding);
    expect(createCardOpener(ring).open(sealed, binding).reveal()).toEqual(card.reveal());
    expect(sealed.keyId).toBe("k2");
  });

  test("opens under a key that is no longer the active one", () => {
    const sealed = createCardSealer({ ...ring, activeId: "k1" }).seal(card, binding);
    expect(createCardOpener(ring).open(sealed, binding).reveal()).toEqual(card.reveal());
  });

  test.each([
    ["another payment", { ...binding, paymentId: randomUUID() }],
    ["another merchant", { ...binding, merchantId: randomUUID() }],
  ])("does not open for %s", (_case, other) => {
    const sealed = createCardSealer(ring).seal(card, binding);
    expect(() => createCardOpener(ring).open(sealed, other)).toThrow(CardSealError);
  });

  test("does not open when changed, cut short, or under an unknown key", () => {
    const sealed = createCardSealer(ring).seal(card, binding);
    const bytes = Buffer.from(sealed.ciphertext, "base64url");
    bytes[0]! ^= 1;
    const opener = createCardOpener(ring);
    for (const broken of [
      { ...sealed, ciphertext: bytes.toString("base64url") },
      { ...sealed, ciphertext: "" },
      { ...sealed, nonce: "" },
      { ...sealed, salt: "AAAA" },
      { ...sealed, keyId: "k3" },
    ]) {
      expect(() => opener.open(broken, binding)).toThrow(CardSealError);
    }
  });

  test("never repeats a nonce under one subkey, and no two processes share a subkey", () => {
    const sealer = createCardSealer(ring);
    const nonces = Array.from({ length: 500 }, () => sealer.seal(card, binding).nonce);
    expect(new Set(nonces).size).toBe(500);
    expect(createCardSealer(ring).seal(card, binding).salt).not.toBe(sealer.seal(card, binding).salt);
  });

  test("has one length whatever the card's", () => {
    const long = new Card({ pan: "4".repeat(19), expiryMonth: "12", expiryYear: "30", cvv: "1234" });
    const sealer = createCardSealer(ring);
    expect(sealer.seal(long, binding).ciphertext.length).toBe(sealer.seal(card, binding).ciphertext.length);
  });
});

test("card data prints as [card] however it is printed", () => {
  for (const printed of [String(card), JSON.stringify({ card }), inspect({ card })]) {
    expect(printed).toContain("[card]");
    expect(printed).not.toContain("4111");
  }
});

describe("sealed details", () => {
  const details = { customer: { email: "ada@example.com" } };

  test("open for the payment they were sealed for, and for no other", () => {
    const sealed = createCardSealer(ring).sealDetails(details, binding);
    expect(JSON.stringify(sealed)).not.toContain("ada");
    expect(createCardOpener(ring).openDetails(sealed, binding)).toEqual(details);
    const other = { ...binding, paymentId: randomUUID() };
    expect(() => createCardOpener(ring).openDetails(sealed, other)).toThrow(CardSealError);
  });

  test("are not taken for a card, nor a card for them", () => {
    const sealer = createCardSealer(ring);
    const opener = createCardOpener(ring);
    expect(() => opener.open(sealer.sealDetails(details, binding), binding)).toThrow(CardSealError);
    expect(() => opener.openDetails(sealer.seal(card, binding), binding)).toThrow(CardSealError);
  });

  test("of another form are refused without a word of what they are", () => {
    const sealed = createCardSealer(ring).sealDetails({ customer: { email: 7 } } as never, binding);
    expect(() => createCardOpener(ring).openDetails(sealed, binding)).toThrow(CardSealError);
  });
});
