import { expect, test } from "vitest";

import { cardCall, followUp, playBank } from "./test/nestpay-bench.ts";
import { approvedXml, emptyHistoryXml, historyRow, historyXml, refusedXml } from "./test/scripted-bank.ts";

const { bank, acquirer } = await playBank({ confirmAmounts: true });

const pending = { kind: "unknown", reason: "pending" };
const mismatch = { kind: "unknown", reason: "mismatch" };
const heard = { externalTransactionId: "T1", authCode: "621911" };

test.each([
  ["the whole", [historyRow("S", "C")], { kind: "approved", amountMinor: 10_000n }],
  ["a hold of the whole", [historyRow("S", "A")], { kind: "approved", amountMinor: 10_000n }],
  ["the whole, after a decline", [historyRow("S", "C"), historyRow("S", "D", { transId: "T0" })], "approved"],
  ["a part", [historyRow("S", "C", { original: "5000" })], mismatch],
  ["a part of a hold", [historyRow("S", "A", { original: "9999" })], mismatch],
  ["a part of what was asked for", [historyRow("S", "C", { captured: "5000" })], mismatch],
  ["more", [historyRow("S", "C", { original: "10001" })], mismatch],
  ["nothing that stands", [historyRow("S", "V")], mismatch],
  ["two", [historyRow("S", "C", { transId: "T2" }), historyRow("S", "C", { transId: "T3" })], mismatch],
  ["it, and a second one", [historyRow("S", "C", { transId: "T2" }), historyRow("S", "C")], mismatch],
  [
    "it voided, and two",
    ["T2", "T3"].map((transId) => historyRow("S", "C", { transId })).concat(historyRow("S", "V")),
    mismatch,
  ],
  ["only another one", [historyRow("S", "C", { transId: "T2" })], mismatch],
  ["what it still has to reverse", [historyRow("S", "R")], pending],
  ["a decline alone", [historyRow("S", "D", { proc: "05" })], pending],
])("an approval whose history shows %s", async (_, rows, expected) => {
  const request = cardCall();
  bank.script(approvedXml(request.orderId, "T1"), historyXml(request.orderId, ...rows));
  const outcome = await acquirer.sale(request);
  expect(outcome).toMatchObject(expected === "approved" ? { kind: expected } : (expected as object));
  expect(bank.received.map(({ fields }) => fields.get("ORDERHISTORY"))).toEqual([undefined, "QUERY"]);
});

test("without a history nobody knows the amount, and nobody guesses it", async () => {
  const request = cardCall();
  bank.script(approvedXml(request.orderId, "T1"), emptyHistoryXml(request.orderId));
  expect(await acquirer.authorize(request)).toMatchObject({ ...pending, heard });
  bank.script(approvedXml(request.orderId, "T1"), { status: 500, body: "" });
  expect(await acquirer.authorize(request)).toMatchObject({
    kind: "unknown",
    reason: "invalid_answer",
    heard,
  });
  bank.script(approvedXml(request.orderId, "T1"), refusedXml("2201"));
  expect(await acquirer.authorize(request)).toMatchObject({ ...pending, heard });
});

test.each([
  ["the whole", [historyRow("S", "C")], { kind: "approved", amountMinor: 10_000n }],
  ["it under another name", [historyRow("S", "C", { transId: "T9" })], { kind: "approved" }],
  [
    "a part",
    [historyRow("S", "C", { captured: "6000" })],
    { ...mismatch, heard: { ...heard, amountMinor: 6_000n } },
  ],
  ["the hold alone", [historyRow("S", "A")], { ...pending, heard }],
  ["two successes", [historyRow("S", "C"), historyRow("S", "A", { transId: "T2" })], { ...mismatch, heard }],
  ["no success", [historyRow("S", "D", { proc: "05" })], { ...pending, heard }],
])("an approved capture whose history shows %s", async (_, rows, expected) => {
  const request = followUp({ target: { amountMinor: 10_000n, capturedMinor: 0n, at: new Date() } });
  bank.script(approvedXml(request.orderId, "T1"), historyXml(request.orderId, ...rows));
  expect(await acquirer.capture(request)).toMatchObject(expected);
  expect(bank.received.map(({ fields }) => fields.get("ORDERHISTORY"))).toEqual([undefined, "QUERY"]);
});

test("a refusal is asked about no further", async () => {
  bank.script(refusedXml("2603"));
  expect(await acquirer.sale(cardCall())).toMatchObject({ kind: "declined" });
  expect(bank.received).toHaveLength(1);
});
