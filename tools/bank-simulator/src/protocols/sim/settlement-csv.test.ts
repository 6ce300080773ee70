import { expect, test } from "vitest";
import type { LedgerLine } from "./ledger-line.ts";
import { settlementCsv } from "./settlement-csv.ts";

const line = (change: Partial<LedgerLine>) =>
  JSON.stringify({
    at: "2026-03-10T09:30:00.000Z",
    operation: "sale",
    reference: "sold",
    parentReference: null,
    amountMinor: 1_250,
    currency: "TRY",
    outcome: "approved",
    externalTransactionId: "bank",
    pan: "411111******1111",
    authCode: "A1",
    resultCode: "00",
    sequence: 1,
    ...change,
  } satisfies LedgerLine);

async function rowsOf(...lines: string[]): Promise<string[][]> {
  async function* given() {
    yield* lines;
  }
  let text = "";
  for await (const row of settlementCsv(given())) text += row;
  return text
    .trimEnd()
    .split("\r\n")
    .slice(1)
    .map((row) => row.split(","));
}

test("what moved money has a row, with the sign that it has for the merchant", async () => {
  const rows = await rowsOf(
    line({}),
    line({ operation: "authorize", reference: "reserved" }),
    line({ operation: "capture", reference: "captured", parentReference: "reserved", amountMinor: 5 }),
    line({ operation: "refund", reference: "refunded", parentReference: "sold", amountMinor: 50 }),
    line({ operation: "sale", reference: "declined", outcome: "declined" }),
  );
  expect(rows.map(([kind, reference, , , , gross, fee, net]) => [kind, reference, gross, fee, net])).toEqual([
    ["SALE", "sold", "12.50", "0.00", "12.50"],
    ["CAPTURE", "captured", "0.05", "0.00", "0.05"],
    ["REFUND", "refunded", "-0.50", "0.00", "-0.50"],
  ]);
  expect(rows[0]).toEqual(
    expect.arrayContaining(["bank", "A1", "411111******1111", "TRY", "2026-03-10T09:30:00", "2026-03-10"]),
  );
});

test("a void stands under its sale's reference; the end of an authorization moves nothing", async () => {
  const rows = await rowsOf(
    line({}),
    line({ operation: "authorize", reference: "reserved" }),
    line({ operation: "cancel", reference: "gone", parentReference: "reserved" }),
    line({ operation: "cancel", reference: "voided", parentReference: "sold" }),
    line({ operation: "reverse", reference: "bound", parentReference: null }),
  );
  expect(rows.map(([kind, reference, , , , gross]) => [kind, reference, gross])).toEqual([
    ["SALE", "sold", "12.50"],
    ["VOID", "sold", "-12.50"],
  ]);
});

test("amounts have the decimals of their currency", async () => {
  const rows = await rowsOf(
    line({ currency: "JPY", amountMinor: 7 }),
    line({ currency: "KWD", amountMinor: 7 }),
  );
  expect(rows.map(([, , , , , gross]) => gross)).toEqual(["7", "0.007"]);
});
