import { expect, test, vi } from "vitest";
import { writeAmount } from "./choose-language.ts";
import { keepFormatters } from "./keep-formatters.ts";

test("what was made once is used again, and of other arguments another one is made", () => {
  const make = vi.fn((locale: string, decimals: number) => ({ locale, decimals }));
  const formatter = keepFormatters(make);
  expect(formatter("tr", 2)).toBe(formatter("tr", 2));
  expect(formatter("tr", 0)).toEqual({ locale: "tr", decimals: 0 });
  expect(make).toHaveBeenCalledTimes(2);
});

test("however many locales browsers name, a bound of them is kept, and those in use stay", () => {
  const make = vi.fn((locale: string) => ({ locale }));
  const formatter = keepFormatters(make, 3);
  const inUse = formatter("tr");
  for (let index = 0; index < 100; index++) {
    formatter(`en-${index}`);
    expect(formatter("tr")).toBe(inUse);
  }
  // A formatter that was dropped is made again.
  formatter("en-0");
  expect(make).toHaveBeenCalledTimes(102);
});

test("a table of amounts takes one formatter", () => {
  const made = vi.spyOn(Intl, "NumberFormat");
  const amounts = Array.from({ length: 50 }, (_, index) => writeAmount("en-GB", `${index}`, "GBP", 2));
  expect(amounts.at(-1)).toBe("£49.00");
  expect(made.mock.calls.length).toBeLessThanOrEqual(1);
  made.mockRestore();
});
