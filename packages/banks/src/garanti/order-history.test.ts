import { describe, expect, test } from "vitest";

import { judge, type Attempt, type MovementKind } from "@holdfast/acquirer";
import { garantiCapabilities } from "./garanti-settings.ts";
import {
  answerXml,
  cardCall,
  followUp,
  historyXml,
  inquiry,
  NAME,
  playBank,
  reversal,
} from "./test/garanti-bench.ts";

const { acquirer, received, script, types } = await playBank();
const confirming = await playBank({ confirmAmounts: true });
const voidAnswer = answerXml({ retrefNum: "600912345678" });

async function inquire(rows: string) {
  script(historyXml(rows));
  return acquirer.inquire(inquiry());
}

// Rows without a name of their own have `NAME`, of 100.00, which took effect.
test.each([
  ["a sale", "sales", "sale approved 10000"],
  ["a hold", "preauth", "authorize approved 10000"],
  ["a capture", "preauth; postauth AuthAmount=6000", "authorize approved 10000, capture approved 6000"],
  ["a refund", "sales; refund AuthAmount=1", "sale approved 10000, refund approved 1"],
  ["a refusal", "sales Status=01 ReturnCode=51 AuthAmount=0 RetrefNum=", "sale declined 0"],
  ["a text that nobody knows", "sales Status=02", "sale pending 10000"],
  ["a void by its day", "sales VoidDate=20260102", "sale voided 10000"],
  ["a void by its day and its row", "sales VoidDate=20260102; void", "sale voided 10000"],
  ["a void by its row alone", "sales; void", "sale voided 10000"],
  ["a void that was refused", "sales; void Status=01", "sale approved 10000"],
  ["a void of which nobody knows", "sales; void Status=X", "sale pending 10000"],
  ["a void of one of two", "preauth; postauth; void", "authorize pending 10000, capture pending 10000"],
  ["a day that is the text null", "sales VoidDate=null", "sale approved 10000"],
])("a record shows each movement of the order: %s", async (_, rows, movements) => {
  const outcome = await inquire(rows);
  const shown = outcome.kind === "found" ? outcome.movements : [];
  expect(shown.map(({ kind, state, amountMinor }) => `${kind} ${state} ${amountMinor}`).join(", ")).toBe(
    movements,
  );
});

test("a movement has its name, in full, with codes and currency, and no time", async () => {
  const outcome = await inquire("sales CurrencyCode=978 ReturnCode= RetrefNum=32302279242");
  const externalTransactionId = "032302279242";
  const movement = { currency: "EUR", authCode: "123456", resultCode: "00", externalTransactionId };
  expect(outcome).toMatchObject({ kind: "found", movements: [movement] });
  expect(outcome.kind === "found" && Object.keys(outcome.movements[0]!)).not.toContain("at");
});

describe("names and amounts tell an attempt, whatever the dates say", () => {
  const judged = async (kind: MovementKind, rows: string, names?: Attempt["names"]) => {
    const attempt = { reference: "r", kind, amountMinor: 4_000n, currency: "TRY", targetTransactionId: NAME };
    return judge(
      { ...attempt, ...(names && { names }) },
      await inquire(rows),
      garantiCapabilities({ confirmAmounts: true }),
    );
  };
  const old = "refund RetrefNum=600412345678 AuthAmount=4000 AuthDate=19700101";
  const knowing = { before: ["600412345678"], others: [] };

  test("a refund that was there before is not the one that was sent", async () => {
    expect(await judged("refund", `sales; ${old}`, knowing)).toEqual({ kind: "not_found" });
    const both = `sales; ${old.replace("6004", "6005")}; ${old}`;
    expect(await judged("refund", both, knowing)).toMatchObject({ externalTransactionId: "600512345678" });
  });

  test("one of another amount that nobody accounts for stops a repeat", async () => {
    const verdict = await judged("refund", "sales; refund RetrefNum=600512345678 AuthAmount=3999", knowing);
    expect(verdict).toEqual({ kind: "unknown", reason: "mismatch" });
  });

  test("a void is the state of its target, whose name it has", async () => {
    const voided = { kind: "approved", externalTransactionId: NAME };
    expect(await judged("void", "sales VoidDate=20260102")).toMatchObject(voided);
    expect(await judged("void", "sales")).toEqual({ kind: "not_found" });
  });
});

const heard = { heard: { kind: "approved", externalTransactionId: NAME } };
const mismatch = { kind: "unknown", reason: "mismatch", ...heard };
const pending = { kind: "unknown", reason: "pending", ...heard };
const sale = "sales InstallmentCnt=3";
test.each<[string, string, object]>([
  ["it does", sale, { kind: "approved", amountMinor: 10_000n }],
  ["another amount", `${sale} AuthAmount=5000`, { ...mismatch, heard: { amountMinor: 5_000n } }],
  ["another currency", `${sale} CurrencyCode=840`, mismatch],
  ["another number of installments", "sales InstallmentCnt=6", mismatch],
  ["no installments", "sales", mismatch],
  ["another name", `${sale} RetrefNum=1`, mismatch],
  ["a hold in its place", "preauth InstallmentCnt=3", mismatch],
  ["two of them", `${sale}; ${sale} RetrefNum=1`, mismatch],
  ["a void", `${sale} VoidDate=20260102`, mismatch],
  ["only a refusal", "sales Status=01 ReturnCode=51", pending],
  ["a text that nobody knows", `${sale} Status=02`, pending],
])("an approval is believed when the record shows it whole: %s", async (_, rows, outcome) => {
  confirming.script(answerXml(), historyXml(rows));
  expect(await confirming.acquirer.sale(cardCall({ installmentCount: 3 }))).toMatchObject(outcome);
  expect(confirming.types()).toEqual(["sales", "orderhistoryinq"]);
});

test.each([
  ["a sale is voided", "sales", "reversed void"],
  ["a hold is voided", "preauth", "reversed void"],
  ["a settled sale needs a refund", "sales Settlement=E", "settled orderhistoryinq"],
  ["a hold is never settled", "preauth Settlement=E", "reversed void"],
  ["a voided one is done", "sales VoidDate=20260102", "reversed orderhistoryinq"],
  ["a refused one is nothing", "sales Status=01", "nothing_found orderhistoryinq"],
  ["beside a refund nobody voids", "sales; refund RetrefNum=1", "unknown orderhistoryinq"],
  ["beside a voided refund somebody does", "sales; refund RetrefNum=1 VoidDate=20260102", "reversed void"],
  ["of two nobody chooses", "sales; sales RetrefNum=1", "unknown orderhistoryinq"],
  ["of another currency nothing is sent", "sales CurrencyCode=840", "unknown orderhistoryinq"],
  ["of a text that nobody knows nothing is sent", "sales Status=02", "unknown orderhistoryinq"],
])("a reversal undoes what stands: %s", async (_, rows, outcome) => {
  script(historyXml(rows), voidAnswer);
  const { kind } = await acquirer.reverse(reversal());
  expect(`${kind} ${types().at(-1)}`).toBe(outcome);
});

test("a captured hold is its capture; without it, it is a hold again", async () => {
  const nameVoided = async (rows: string) => {
    script(historyXml(rows), voidAnswer);
    await acquirer.cancel(followUp({ target: { amountMinor: 10_000n, at: new Date() } }));
    return received.at(-1)?.fields.get("OriginalRetrefNum");
  };
  expect(await nameVoided("preauth; postauth RetrefNum=600312345678")).toBe("600312345678");
  expect(await nameVoided("preauth; postauth RetrefNum=600312345678 VoidDate=20260102")).toBe(NAME);
});
