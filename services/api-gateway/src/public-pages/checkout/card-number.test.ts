import { join } from "node:path";
import { expect, test } from "vitest";

/** The browser's module, as it is sent. */
type CardNumber = {
  digitsOf(text: string): string;
  schemeOf(digits: string): { name: string };
  formatNumber(text: string): string;
  formatExpiry(text: string, isDeleting?: boolean): string;
  numberFault(text: string): string | undefined;
  expiryFault(text: string, now: Date): string | undefined;
  cvvFault(text: string, number: string): string | undefined;
  nameFault(text: string): string | undefined;
};
const page = (await import(join(import.meta.dirname, "assets", "card-number.js"))) as CardNumber;
const now = new Date(2026, 10, 20);

test.each([
  ["4111111111111111", "VISA", "4111 1111 1111 1111"],
  ["378282246310005", "AMEX", "3782 822463 10005"],
  ["5555555555554444", "MASTERCARD", "5555 5555 5555 4444"],
  ["2223003122003222", "MASTERCARD", "2223 0031 2200 3222"],
  ["9792030394440796", "TROY", "9792 0303 9444 0796"],
  ["6304000000000000", "", "6304 0000 0000 0000"],
  ["41111", "VISA", "4111 1"],
  ["4111-1111 x", "VISA", "4111 1111"],
  ["４１１１１１１１１１１１１１１１", "VISA", "4111 1111 1111 1111"],
  ["٤١١١\u00a0١١١١\u2009١١١١\u200b١١١١", "VISA", "4111 1111 1111 1111"],
  [`4${"1".repeat(30)}`, "VISA", "4111 1111 1111 1111 111"],
])("%s is %s and is shown as %s", (digits, scheme, shown) => {
  expect(page.schemeOf(page.digitsOf(digits)).name).toBe(scheme);
  expect(page.formatNumber(digits)).toBe(shown);
});

test.each([
  ["", "pan.required"],
  ["4111", "pan.invalid"],
  ["4111 1111 1111 111", "pan.length"],
  ["4111 1111 1111 1112", "pan.luhn"],
  ["4111 1111 1111 1111", undefined],
  ["3782 822463 10005", undefined],
])("the number %j: %s", (text, fault) => {
  expect(page.numberFault(text)).toBe(fault);
});

test.each([
  ["1", false, "1"],
  ["5", false, "05 / "],
  ["12", false, "12 / "],
  ["12", true, "12"],
  ["12 /", true, "12"],
  ["123", false, "12 / 3"],
  ["1228", false, "12 / 28"],
  ["122028", false, "12 / 28"],
  ["1/28", false, "01 / 28"],
  ["01 / 2028", false, "01 / 28"],
  ["１２／３０", false, "12 / 30"],
  ["١٢/٣٠", false, "12 / 30"],
  ["2030-12", false, "12 / 30"],
  ["2030", false, "2030"],
  ["12 / 203", false, "12 / 203"],
])("an expiry typed as %j (deleting: %s) becomes %j", (typed, isDeleting, shown) => {
  expect(page.formatExpiry(typed, isDeleting)).toBe(shown);
});

test.each([
  ["12/2030", "12 / 30"],
  ["122030", "12 / 30"],
  ["1230", "12 / 30"],
  ["2030-12", "12 / 30"],
  ["203012", "12 / 30"],
  ["2/31", "02 / 31"],
  ["231", "02 / 31"],
  ["9/2031", "09 / 31"],
])("the keys %s, one by one, leave %s", (keys, shown) => {
  const typed = keys.split("").reduce((text, key) => page.formatExpiry(text + key, false), "");
  expect(typed).toBe(shown);
});

test.each([
  ["", "expiry.required"],
  ["12 / ", "expiry.invalid"],
  ["13 / 28", "expiry.invalid"],
  ["09 / 26", "expiry.expired"],
  ["10 / 26", undefined],
  ["12 / 46", undefined],
  ["01 / 47", "expiry.too_far"],
])("the expiry %j: %s", (text, fault) => {
  expect(page.expiryFault(text, now)).toBe(fault);
});

test("the code has as many digits as the scheme prints", () => {
  expect(page.cvvFault("", "4111")).toBe("cvv.required");
  expect(page.cvvFault("123", "4111 1111")).toBeUndefined();
  expect(page.cvvFault("1234", "4111 1111")).toBe("cvv.invalid");
  expect(page.cvvFault("123", "3782 8224")).toBe("cvv.invalid");
  expect(page.cvvFault("1234", "3782 8224")).toBeUndefined();
  expect(page.cvvFault("١٢٣", "٤١١١")).toBeUndefined();
});

test("a card number typed for the name is noticed before it is sent", () => {
  expect(page.nameFault("4111 1111 1111 1111")).toBe("cardHolderName.card_number");
  expect(page.nameFault("Ada Lovelace")).toBeUndefined();
});
