import { expect, test } from "vitest";
import { approvalRates, countByAge, hourlyVolumes } from "./overview-figures.ts";

const payment = (status: string, hour: number, change: { amount?: number; currency?: string } = {}) => ({
  payment: {
    amount: 0.1,
    currency: "TRY",
    status,
    paymentDate: `2026-11-23T${String(hour).padStart(2, "0")}:30:00.000Z`,
    ...change,
  } as never,
});

test("the volume of an hour is what the banks have approved, to the last minor unit", () => {
  const payments = [
    payment("SUCCESS", 9),
    payment("CAPTURED", 9, { amount: 0.2 }),
    payment("FAILED", 9, { amount: 99 }),
    payment("CANCELLED", 11),
    payment("SUCCESS", 10, { currency: "EUR", amount: 5 }),
  ];
  expect(hourlyVolumes(payments)).toEqual([
    {
      currency: "TRY",
      hours: [
        { hour: 9, amount: 0.3, count: 2 },
        { hour: 10, amount: 0, count: 0 },
        { hour: 11, amount: 0.1, count: 1 },
      ],
    },
    { currency: "EUR", hours: [{ hour: 10, amount: 5, count: 1 }] },
  ]);
  expect(hourlyVolumes([])).toEqual([]);
});

test("a bank's rate counts what it has answered: no rejection of ours, and nothing that is unknown", () => {
  const at = (accountId: string | undefined, status: string) => ({ ...payment(status, 9), accountId });
  const payments = [
    at("one", "SUCCESS"),
    at("one", "FAILED"),
    at("one", "REJECTED"),
    at("one", "ENROLLED"),
    at(undefined, "CAPTURED"),
  ];
  expect(approvalRates(payments)).toEqual([
    { accountId: "one", approved: 1, answered: 2 },
    { accountId: undefined, approved: 1, answered: 1 },
  ]);
});

test("an age at a limit belongs to the older group", () => {
  expect(countByAge([0, 9, 10, 19, 20, 500], [10, 20])).toEqual([2, 2, 2]);
  expect(countByAge([], [10])).toEqual([0, 0]);
});
