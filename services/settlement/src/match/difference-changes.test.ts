import { expect, test } from "vitest";
import { changeBy, type Earlier } from "./difference-changes.ts";

const OPEN: Earlier = { class: "AMOUNT_DIFFERS", amount_minor: 100n, state: "OPEN" };
const CLOSED: Earlier = { ...OPEN, state: "CLOSED" };
const MISSING: Earlier = { ...OPEN, class: "MISSING_AT_BANK", state: "PROPOSED" };
const differs = { verdict: "AMOUNT_DIFFERS", stakeMinor: 100n };
const asked = { ...differs, asksAgain: true };
const matched = { verdict: "MATCHED", stakeMinor: 0n };

test.each([
  ["is new", differs, [], "AMOUNT_DIFFERS", []],
  ["is open already", differs, [OPEN], undefined, []],
  ["was closed by people", differs, [CLOSED], undefined, []],
  ["was closed, and a new line brings it", asked, [CLOSED], "AMOUNT_DIFFERS", []],
  ["is open, and a new line brings it", asked, [OPEN], undefined, []],
  ["has another amount", { ...differs, stakeMinor: 50n }, [OPEN], "AMOUNT_DIFFERS", ["AMOUNT_DIFFERS"]],
  ["has become another", { verdict: "LATE", stakeMinor: 7n }, [OPEN], "LATE", ["AMOUNT_DIFFERS"]],
  ["is gone", matched, [MISSING], undefined, ["MISSING_AT_BANK"]],
  ["is gone, and was closed", matched, [CLOSED], undefined, []],
  ["was never one", matched, [], undefined, []],
  ["waits for the other side", { verdict: null, stakeMinor: 0n }, [], undefined, []],
])("a difference that %s", (_, found, earlier, opens, resolves) => {
  expect(changeBy(found, earlier)).toEqual({ opens, resolves });
});
