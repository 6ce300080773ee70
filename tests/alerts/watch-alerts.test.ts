import { expect, test } from "vitest";
import { pagesBeyond } from "./watch-alerts.ts";

test("a page that nobody expects is left over, and so is a second one of the same name", () => {
  const bank = { alertname: "HoldfastBankUnreachable", severity: "page" };
  const first = { ...bank, holdfast_acquirer_account: "a" };
  const expected = [{ alertname: "HoldfastBankUnreachable" }];
  expect(pagesBeyond([first], expected)).toEqual([]);
  expect(pagesBeyond([first, bank], expected)).toEqual([bank]);
  const ofAnother = { alertname: "HoldfastBankUnreachable", holdfast_acquirer_account: "b" };
  expect(pagesBeyond([first], [ofAnother])).toEqual([first]);
  // A page that may fire and does not.
  expect(pagesBeyond([], expected)).toEqual([]);
});
