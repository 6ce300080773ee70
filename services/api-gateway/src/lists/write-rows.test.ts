import { apiPaymentResponseSchema } from "@holdfast/contracts";
import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { columnsOf } from "./row-columns.ts";
import { createRowWriter } from "./write-rows.ts";

const ROW = {
  paymentId: "0199aaaa-0000-7000-8000-000000000001",
  orderId: 'order, "one"\nof two',
  amount: 12.5,
  installmentTotal: 12.9,
  capturedAmount: 7,
  currency: "TRY",
  merchantCommission: 0.1,
  status: "SUCCESS",
  lastOperation: { type: "CAPTURE", status: "DONE", amount: 7, at: "2026-11-20T12:00:00.000Z" },
};
const columns = columnsOf(apiPaymentResponseSchema);

function csvOf(rows: Record<string, unknown>[], bom = false): string {
  const writer = createRowWriter("text/csv", columns, { bom });
  return writer.head + writer.page(rows) + writer.end(rows.length);
}

test("the header row has the JSON's names, those of an object in it behind a dot", () => {
  const [header = []] = parse(csvOf([]));
  expect(header.slice(0, 4)).toEqual(["paymentId", "parentPaymentId", "orderId", "amount"]);
  expect(header.slice(-13)).toEqual([
    "lastOperation.type",
    "lastOperation.status",
    "lastOperation.amount",
    "lastOperation.resultCode",
    "lastOperation.at",
    "capturedAt",
    "cancelledAt",
    "cancelReason",
    "refundedAmount",
    "pendingRefundAmount",
    "refundableAmount",
    "chargedBackAmount",
    "livemode",
  ]);
});

test("a row reads back as it was, amounts as decimal text, what is absent empty; the last row counts the others", () => {
  const [row, ...rest] = parse(csvOf([ROW]), { columns: true }) as Record<string, string>[];
  expect(row).toMatchObject({
    orderId: ROW.orderId,
    amount: "12.50",
    installmentTotal: "12.90",
    capturedAmount: "7.00",
    merchantCommission: "0.10",
    customerId: "",
    "lastOperation.amount": "7.00",
    "lastOperation.resultCode": "",
  });
  expect(rest).toMatchObject([{ paymentId: "#rows", parentPaymentId: "1" }]);
});

test.each([
  ["JPY", 1_250, "1250"],
  ["TRY", 999_999_999.99, "999999999.99"],
  ["KWD", 0.001, "0.001"],
  ["CLF", 999_999_999.9999, "999999999.9999"],
  ["TRY", 0.07, "0.07"],
])("an amount in %s has all of the currency's decimals, exactly", (currency, amount, text) => {
  const [row] = parse(csvOf([{ ...ROW, currency, amount }]), { columns: true }) as Record<string, string>[];
  expect(row!["amount"]).toBe(text);
});

test.each([
  ["=1+1", "'=1+1"],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["\t=1", "\t'=1"],
  ["\r=1", "\r'=1"],
])("a cell that begins like the formula %j is escaped", (orderId, escaped) => {
  const [row] = parse(csvOf([{ ...ROW, orderId }]), { columns: true }) as Record<string, string>[];
  expect(row!["orderId"]).toBe(escaped);
});

test.each([",", ";", "\t", "|"])(
  "no cell begins like a formula for a spreadsheet that reads by %j",
  (delimiter) => {
    const attack = "=cmd|'/C calc'!A0";
    const orderIds = [";", "|", "\t", "\n", '"', '";"', "; ", ";\u{FEFF}"].map(
      (before) => `B${before}${attack};y`,
    );
    const text = csvOf(orderIds.map((orderId) => ({ ...ROW, orderId })));
    for (const quote of ['"', null]) {
      const options = { delimiter, quote, relax_column_count: true, relax_quotes: true };
      for (const cell of parse(text, options).flat())
        expect(cell.replace(/^"+/u, "").trimStart()).not.toMatch(/^[=+@]/u);
    }
  },
);

test("a text that has no formula in it is written as it is", () => {
  const orderId = "A=1; B-2, x@y.example | O'-Brien + 3";
  const [row] = parse(csvOf([{ ...ROW, orderId }]), { columns: true }) as Record<string, string>[];
  expect(row!["orderId"]).toBe(orderId);
});

test("a byte order mark comes first, where one is asked for", () => {
  expect(csvOf([ROW], true)).toBe(`\u{FEFF}${csvOf([ROW])}`);
});

test("as NDJSON each row is an object, and the last one counts the others", () => {
  const writer = createRowWriter("application/x-ndjson", columns, { bom: false });
  const lines = (writer.head + writer.page([ROW, ROW]) + writer.end(2)).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([ROW, ROW, { rows: 2 }]);
});
