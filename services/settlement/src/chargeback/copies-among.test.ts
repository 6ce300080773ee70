import { expect, test } from "vitest";
import { copiesAmong, type ChargebackEntry } from "./copies-among.ts";

const taken = (change: Partial<ChargebackEntry> = {}): ChargebackEntry => ({
  kind: "CHARGEBACK",
  identity: "taken",
  item: null,
  currency: "TRY",
  amountMinor: 10_000n,
  settlesOn: "2026-03-11",
  payoutId: "p-1",
  ...change,
});
const back = (change: Partial<ChargebackEntry> = {}) =>
  taken({
    kind: "CHARGEBACK_REVERSAL",
    identity: "back",
    settlesOn: "2026-03-20",
    payoutId: "p-9",
    ...change,
  });
const again = taken({ settlesOn: "2026-03-31", payoutId: "p-20" });
const rounds = (...entries: ChargebackEntry[]) => copiesAmong(entries).map(({ round }) => round);

test("a line that comes again is a copy, also where its settlement has shifted", () => {
  expect(rounds(taken(), taken(), taken({ settlesOn: "2026-03-12" }))).toEqual([0, undefined, undefined]);
  expect(rounds(taken(), back(), back({ settlesOn: null }))).toEqual([0, 0, undefined]);
});

test("behind what was given back the same line is another chargeback, and behind that it is given back again", () => {
  expect(rounds(taken(), back(), again, again)).toEqual([0, 0, 1, undefined]);
  const backAgain = back({ settlesOn: "2026-04-20", payoutId: "p-30" });
  expect(rounds(taken(), back(), again, backAgain, backAgain)).toEqual([0, 0, 1, 1, undefined]);
});

test("the first file again is a copy, whatever was given back since", () => {
  expect(rounds(taken(), back(), taken())).toEqual([0, 0, undefined]);
  expect(rounds(taken(), back(), again, taken())).toEqual([0, 0, 1, undefined]);
});

test("of a bank that names no payouts the same line behind what was given back is another one", () => {
  const unnamed = { settlesOn: null, payoutId: null };
  expect(rounds(taken(unnamed), taken(unnamed), back(unnamed), taken(unnamed))).toEqual([0, undefined, 0, 1]);
});

test("a part that was given back, or another item's, makes no other chargeback", () => {
  expect(rounds(taken(), back({ amountMinor: 4_000n }), again)).toEqual([0, 0, undefined]);
  const rest = back({ identity: "rest", amountMinor: 6_000n });
  expect(rounds(taken(), back({ amountMinor: 4_000n }), rest, again)).toEqual([0, 0, 0, 1]);
  expect(rounds(taken(), back({ item: "2" }), again)).toEqual([0, 0, undefined]);
  expect(rounds(taken(), back({ currency: "EUR" }), again)).toEqual([0, 0, undefined]);
});

test("what was given back before the first one comes says nothing about the second", () => {
  expect(rounds(back(), taken(), again)).toEqual([0, 0, undefined]);
});
