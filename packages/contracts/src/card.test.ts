import { expect, test } from "vitest";
import { isAmexPan, maskPan, passesLuhn } from "./card.ts";

test("a masked number shows six and four digits and keeps its length", () => {
  expect(maskPan("4111111111111111")).toBe("411111******1111");
  expect(maskPan("378282246310005")).toBe("378282*****0005");
  expect(maskPan("500000000000")).toBe("500000**0000");
  expect(maskPan("6".repeat(19))).toBe(`666666${"*".repeat(9)}6666`);
});

test("Luhn accepts the test cards and none of them with one digit changed", () => {
  for (const pan of [
    "4111111111111111",
    "5555555555554444",
    "378282246310005",
    "9792000000000003",
    "4000000000000002",
  ]) {
    expect(passesLuhn(pan)).toBe(true);
    for (let index = 0; index < pan.length; index++) {
      const changed = pan.slice(0, index) + ((Number(pan[index]) + 1) % 10) + pan.slice(index + 1);
      expect(passesLuhn(changed)).toBe(false);
    }
  }
});

test("American Express is 34 and 37", () => {
  expect(["340000", "370000", "360000", "430000"].map(isAmexPan)).toEqual([true, true, false, false]);
});
