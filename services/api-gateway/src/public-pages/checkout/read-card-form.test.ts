import { expect, test } from "vitest";
import { readCardForm } from "./read-card-form.ts";

const now = new Date("2026-11-20T12:00:00Z");
const good = { pan: "4111 1111 1111 1111", cardHolderName: "Ada Lovelace", expiry: "09 / 28", cvv: "123" };
const read = (change: Record<string, string> = {}) =>
  readCardForm(new URLSearchParams({ ...good, ...change }), now);

test.each(["09 / 28", "9/28", "09.28", "0928", "09-2028", " 09/2028 ", "2028-09", "202809"])(
  "an expiry typed as %j is read",
  (expiry) => {
    const form = read({ expiry, installmentCount: "3" });
    if (Array.isArray(form)) throw new Error(form.join());
    expect(form.card.reveal()).toEqual({
      pan: "4111111111111111",
      expiryMonth: "09",
      expiryYear: "28",
      cvv: "123",
    });
    expect(form).toMatchObject({ cardHolderName: "Ada Lovelace", installmentCount: 3 });
  },
);

test.each([
  ["no-break and thin spaces", "4111\u00a01111\u20091111\u202f1111"],
  ["dots and tabs", "4111.1111\t1111.1111"],
  ["dashes", "4111–1111—1111‑1111"],
  ["zero-width spaces", "4111\u200b1111\u200b1111\u200b1111"],
  ["full-width digits", "４１１１１１１１１１１１１１１１"],
  ["Arabic digits", "٤١١١ ١١١١ ١١١١ ١١١١"],
])("a card number with %s is read", (_case, pan) => {
  const form = read({ pan });
  if (Array.isArray(form)) throw new Error(form.join());
  expect(form.card.reveal()).toMatchObject({ pan: "4111111111111111" });
});

test.each(["０９／２８", "٠٩/٢٨", "09\u200b/\u00a028", "09 – 2028"])(
  "an expiry of %j is read, and a code likewise",
  (expiry) => {
    const form = read({ expiry, cvv: "١２3 " });
    if (Array.isArray(form)) throw new Error(form.join());
    expect(form.card.reveal()).toMatchObject({ expiryMonth: "09", expiryYear: "28", cvv: "123" });
  },
);

test("every field at fault is told at once, in the form's order", () => {
  expect(readCardForm(new URLSearchParams(), now)).toEqual([
    "pan.required",
    "cardHolderName.required",
    "expiry.required",
    "cvv.required",
  ]);
});

test.each([
  [{ pan: "4111111111111112" }, "pan.luhn"],
  [{ pan: "4111 1111" }, "pan.invalid"],
  [{ pan: "4111x1111y1111z1111" }, "pan.invalid"],
  [{ cardHolderName: "A" }, "cardHolderName.too_short"],
  [{ cardHolderName: "A\u202eda" }, "cardHolderName.invalid_characters"],
  [{ cardHolderName: "4111 1111 1111 1111" }, "cardHolderName.card_number"],
  [{ expiry: "13/28" }, "expiry.invalid"],
  [{ expiry: "soon" }, "expiry.invalid"],
  [{ expiry: "09/26" }, "expiry.expired"],
  [{ expiry: "09/48" }, "expiry.too_far"],
  [{ cvv: "12" }, "cvv.invalid"],
  [{ pan: "378282246310005", cvv: "123" }, "cvv.invalid_format"],
  [{ installmentCount: "0" }, "installmentCount.invalid"],
])("%j is %s", (change, fault) => {
  expect(read(change)).toEqual([fault]);
});
