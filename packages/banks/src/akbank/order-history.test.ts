import { expect, test } from "vitest";

import { judge, type Attempt, type MovementKind } from "@holdfast/acquirer";
import { akbankCapabilities } from "./akbank-settings.ts";
import {
  approval,
  cardCall,
  history,
  inquiry,
  NAME,
  noHistory,
  playBank,
  reversal,
  SECOND,
  voided,
  type Scripted,
} from "./test/akbank-bench.ts";

const { acquirer, script, types } = await playBank();
const confirming = await playBank({ confirmAmounts: true });

async function inquire(answer: Scripted) {
  script(answer);
  return acquirer.inquire(inquiry());
}

const held = "authorize approved 10000";
// Rows without a name of their own have `NAME`, of 100.00, which took effect.
test.each([
  ["a sale", "1000 amount=1.01", "sale approved 101"],
  ["a hold", "1004", held],
  ["a capture", "1005 stan=86 amount=60; 1004 preAuthStatus=C", `capture approved 6000, ${held}`],
  ["a captured hold without its capture", "1004 preAuthStatus=C", "authorize pending 10000"],
  ["a capture that was undone", "1004; 1005 stan=86 txnStatus=V", `${held}, capture voided 10000`],
  ["a refund", "1000 txnStatus=R; 1002 stan=86 amount=0.5", "sale approved 10000, refund approved 50"],
  ["a refusal", "1000 responseCode=VPS-1005 hostResponseCode=51 rrn=0 stan=0", "sale declined 10000"],
  ["a code of no list", "1000 responseCode=VPS-4711 hostResponseCode=", "sale pending 10000"],
  ["no code", "1000 responseCode= hostResponseCode=", "sale pending 10000"],
  ["an error", "1000 txnStatus=S", "sale pending 10000"],
  ["a refusal that the host has approved", "1000 responseCode=VPS-1044", "sale pending 10000"],
  ["no status", "1000 txnStatus=", "sale pending 10000"],
  ["a void", "1000 txnStatus=V", "sale voided 10000"],
])("a record shows each movement of the order: %s", async (_, rows, movements) => {
  const outcome = await inquire(history(rows));
  const shown = outcome.kind === "found" ? outcome.movements : [];
  expect(shown.map(({ kind, state, amountMinor }) => `${kind} ${state} ${amountMinor}`).join(", ")).toBe(
    movements,
  );
});

test("a movement has the name that its answer had, codes and a currency", async () => {
  const movement = { currency: "EUR", authCode: "306455", resultCode: "00", externalTransactionId: NAME };
  expect(await inquire(history("1000 currencyCode=978"))).toMatchObject({
    kind: "found",
    movements: [movement],
  });
  const refusal = { state: "declined", resultCode: "51" };
  expect(await inquire(history("1000 responseCode=VPS-1005 hostResponseCode=51"))).toMatchObject({
    movements: [refusal],
  });
});

test.each<[string, Scripted]>([
  ["says so", noHistory()],
  ["lists nothing", history("")],
])("an order is not found where the bank %s", async (_, answer) => {
  expect(await inquire(answer)).toEqual({ kind: "not_found" });
});

test.each<[string, Scripted, string]>([
  [
    "a success without a list",
    approval({ transaction: undefined, hostResponseCode: undefined }),
    "invalid_answer",
  ],
  ["an empty list of no order", history("", { order: undefined }), "invalid_answer"],
  ["a refund by a status alone, which may be any", history("1000 txnStatus=R"), "pending"],
  [
    "a refused refund beside it",
    history("1000 txnStatus=R; 1002 responseCode=VPS-1005 hostResponseCode=13"),
    "pending",
  ],
])("an answer says nothing of the order: %s", async (_, answer, reason) => {
  expect(await inquire(answer)).toEqual({ kind: "unknown", reason });
});

const judged = async (kind: MovementKind, rows: string, names?: Attempt["names"]) => {
  const attempt = { reference: "r", kind, amountMinor: 4_000n, currency: "TRY", targetTransactionId: NAME };
  return judge(
    { ...attempt, ...(names && { names }) },
    await inquire(history(rows)),
    akbankCapabilities({ confirmAmounts: true }),
  );
};

test("names and amounts tell a refund from another, whatever the times say", async () => {
  const old = "1002 stan=86 amount=40 txnDateTime=1970-01-01T00:00:00.000";
  const knowing = { before: [SECOND], others: [] };
  expect(await judged("refund", `1000; ${old}`, knowing)).toEqual({ kind: "not_found" });
  const both = `1002 stan=87 amount=40; ${old}; 1000`;
  expect(await judged("refund", both, knowing)).toMatchObject({
    externalTransactionId: `${NAME.slice(0, -2)}87`,
  });
  const other = "1002 stan=87 amount=39.99; 1000";
  expect(await judged("refund", other, knowing)).toEqual({ kind: "unknown", reason: "mismatch" });
});

test("a hold and its capture have one number, and two names", async () => {
  const rows = "1004 preAuthStatus=C; 1005 stan=86 amount=40";
  expect(await judged("capture", rows)).toMatchObject({ kind: "approved", externalTransactionId: SECOND });
  expect(await judged("void", rows)).toEqual({ kind: "not_found" });
  expect(await judged("void", "1004 txnStatus=V")).toMatchObject({
    kind: "approved",
    externalTransactionId: NAME,
  });
});

const heard = { heard: { kind: "approved", externalTransactionId: NAME } };
const mismatch = { kind: "unknown", reason: "mismatch", ...heard };
const pending = { kind: "unknown", reason: "pending", ...heard };
test.each<[string, string, object]>([
  ["it does", "1000 installCount=3", { kind: "approved", amountMinor: 10_000n }],
  ["another amount", "1000 installCount=3 amount=50", { ...mismatch, heard: { amountMinor: 5_000n } }],
  ["another currency", "1000 installCount=3 currencyCode=840", mismatch],
  ["another number of installments", "1000 installCount=6", mismatch],
  ["no installments", "1000", mismatch],
  ["another name", "1000 installCount=3 stan=86", mismatch],
  ["a hold in its place", "1004 installCount=3", mismatch],
  ["two of them", "1000 installCount=3; 1000 installCount=3 stan=86", mismatch],
  ["a void", "1000 installCount=3 txnStatus=V", mismatch],
  ["an error", "1000 installCount=3 txnStatus=S", pending],
  ["nothing", "", pending],
])("an approval is believed when the record shows it whole: %s", async (_, rows, outcome) => {
  confirming.script(approval(), history(rows));
  expect(await confirming.acquirer.sale(cardCall({ installmentCount: 3 }))).toMatchObject(outcome);
  expect(confirming.types()).toEqual(["1000", "1010"]);
});

test.each([
  ["a sale is voided", "1000", "reversed 1003"],
  ["a hold is voided", "1004", "reversed 1003"],
  ["a voided one is done", "1000 txnStatus=V", "reversed 1010"],
  ["a refused one is nothing", "1000 responseCode=VPS-1005 hostResponseCode=05", "nothing_found 1010"],
  ["beside a refund nobody voids", "1000; 1002 stan=86", "unknown 1010"],
  ["of two nobody chooses", "1000; 1000 stan=86", "unknown 1010"],
  ["of another currency nothing is sent", "1000 currencyCode=840", "unknown 1010"],
  ["of an error nothing is sent", "1000 txnStatus=S", "unknown 1010"],
])("a reversal undoes what stands: %s", async (_, rows, outcome) => {
  script(history(rows), history(rows), voided(), history(`${rows} txnStatus=V`));
  const { kind } = await acquirer.reverse(reversal());
  expect(`${kind} ${types().findLast((type) => type !== "1010") ?? "1010"}`).toBe(outcome);
});

test("what the bank has named and does not show is not voided by its order alone", async () => {
  const target = { externalTransactionId: NAME, amountMinor: 10_000n, at: new Date() };
  script(noHistory(), noHistory());
  expect(await acquirer.reverse(reversal({ target }))).toEqual({ kind: "unknown", reason: "pending" });
  expect(types()).toEqual(["1010", "1010"]);
});
