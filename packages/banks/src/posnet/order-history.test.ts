import { describe, expect, test } from "vitest";
import type { OrderRecord } from "@holdfast/acquirer/kit";

import { readAnswer } from "./answer.ts";
import { readHistory } from "./order-history.ts";
import { approval, MOVEMENT, noRecord, PLAIN, record, refusal, xml } from "./test/posnet-bench.ts";

const invalid = { kind: "unknown", reason: "invalid_answer" };
const mismatch = { kind: "unknown", reason: "mismatch" };

function read(text: string, undone: readonly string[] = []): OrderRecord {
  const answer = readAnswer({
    kind: "answered",
    status: 200,
    bytes: Buffer.from(text),
    contentType: undefined,
  });
  return answer.kind === "read" ? readHistory(answer, PLAIN, new Set(undone)) : answer;
}
const states = (rows: string, undone: readonly string[] = []) => {
  const history = read(record(rows), undone);
  if (history.kind !== "found") return history.kind === "unknown" ? history.reason : history.kind;
  return history.movements.map(({ kind, state }) => `${kind} ${state}`).join(", ");
};

test("a row has its kind, name and amount, and a capture a name of its own", () => {
  const history = read(record("Authorization; Capture amount=60,00"));
  expect(history).toEqual({
    kind: "found",
    movements: [
      {
        kind: "authorize",
        state: "approved",
        amountMinor: 10_000n,
        currency: "TRY",
        externalTransactionId: MOVEMENT,
        authCode: "504289",
        resultCode: "00",
        resultMessage: "",
        isSettled: false,
      },
      expect.objectContaining({
        kind: "capture",
        amountMinor: 6_000n,
        externalTransactionId: `${MOVEMENT}/capt`,
      }),
    ],
  });
});

test.each([
  ["1,16", 116n],
  ["0,01", 1n],
  ["1.234,56", 123_456n],
  ["1234,56", 123_456n],
  ["1.16", undefined],
  ["116", undefined],
  ["1,160.00", undefined],
  ["12.34,56", undefined],
  ["1,1", undefined],
  ["-1,16", undefined],
  ["", undefined],
])("an amount %s is %s", (amount, minor) => {
  const history = read(record(`Sale amount=${amount}`));
  expect(history.kind === "found" ? history.movements[0]?.amountMinor : undefined).toBe(minor);
});

describe("a void", () => {
  const gone = "txnStatus=0";
  test.each([
    ["a row and its target's status", `Sale ${gone}; Sale_Reverse hostlogkey=2`, "sale voided"],
    ["a row that names its target", "Sale; Sale_Reverse", "sale voided"],
    ["a row of its own alone", "Sale; Sale_Reverse hostlogkey=2", "sale voided"],
    ["a row that did not take effect", `Sale; Sale_Reverse hostlogkey=2 ${gone}`, "sale approved"],
    ["a status alone, of what the issuer approved", `Sale ${gone}`, "sale voided"],
    ["a status alone, of what it may not have answered yet", `Sale ${gone} authCode=`, ""],
    ["a status alone, of zeros", `Sale ${gone} authCode=000000`, ""],
    [
      "a capture's, which leaves the hold",
      `Authorization; Capture ${gone}; Capture_Reverse`,
      "authorize approved, capture voided",
    ],
    [
      "a capture's, whose hold does not count again",
      `Authorization ${gone}; Capture ${gone}; Capture_Reverse hostlogkey=2`,
      "authorize approved, capture voided",
    ],
    [
      "a capture's, and its hold's",
      `Authorization ${gone}; Authorization_Reverse hostlogkey=3; Capture ${gone}; Capture_Reverse hostlogkey=2`,
      "authorize voided, capture voided",
    ],
    ["a hold's", `Authorization ${gone}; Authorization_Reverse`, "authorize voided"],
    [
      "a captured hold that does not count",
      `Authorization ${gone}; Capture hostlogkey=2`,
      "authorize approved, capture approved",
    ],
    [
      "a refund's",
      `Sale; Return hostlogkey=2 ${gone}; Return_Reverse hostlogkey=3`,
      "sale approved, refund voided",
    ],
    ["a status alone, of a refund", `Sale; Return hostlogkey=2 ${gone}`, "sale approved, refund voided"],
    [
      "a status alone, of a refund that failed",
      `Sale; Return hostlogkey=2 ${gone} authCode=`,
      "sale approved, refund declined",
    ],
    [
      "one of two, with a name",
      "Sale; Sale hostlogkey=2; Sale_Reverse hostlogkey=2",
      "sale approved, sale voided",
    ],
    ["one of two, without one", "Sale; Sale hostlogkey=2; Sale_Reverse hostlogkey=3", "pending"],
    ["of nothing that is shown", "Return hostlogkey=2; Sale_Reverse hostlogkey=3", "pending"],
    [
      "of one of two that the issuer has approved",
      `Sale ${gone}; Sale hostlogkey=2; Sale_Reverse hostlogkey=3`,
      "sale voided, sale approved",
    ],
    [
      "beside one that the issuer has perhaps never approved",
      `Sale ${gone} authCode=; Sale hostlogkey=2; Sale_Reverse hostlogkey=3`,
      "pending",
    ],
  ])("%s", (_, rows, expected) => {
    expect(states(rows)).toBe(expected);
  });

  test("is what is left of the row of a movement that is known to have taken effect", () => {
    expect(states(`Authorization; Capture ${gone}`)).toBe("authorize approved, capture declined");
    expect(states(`Authorization; Capture ${gone}`, [`${MOVEMENT}/capt`])).toBe(
      "authorize approved, capture voided",
    );
    expect(states("Sale", [MOVEMENT])).toBe("sale approved");
    const undone = `Capture ${gone}; Capture_Reverse hostlogkey=2`;
    // The authorization no longer counts because of its capture, and its void has no row.
    expect(states(`Authorization ${gone}; ${undone}`, [MOVEMENT])).toBe("authorize approved, capture voided");
  });
});

test("the list of rows may have other forms", () => {
  const [row = ""] = /<transaction>.*<\/transaction>/.exec(record("Sale")) ?? [];
  const flat = row.replace("<transaction>", "<transactions>").replace("</transaction>", "</transactions>");
  const found = read(record("Sale"));
  expect(read(xml("1", flat))).toEqual(found);
  expect(
    read(
      xml(
        "1",
        `<transactions>${row}</transactions>`
          .replace("hostlogkey", "hostLogKey")
          .replace("/hostlogkey", "/hostLogKey"),
      ),
    ),
  ).toEqual(found);
  const split = `<transactions>${row}</transactions>`.repeat(2);
  expect(read(xml("1", split))).toMatchObject({ movements: [{}, {}] });
});

test.each<[string, string, object]>([
  ["no such order", noRecord(), { kind: "not_found" }],
  ["another refusal", refusal("0122"), invalid],
  [
    "E219 beside rows",
    record("Sale").replace("<approved>1", "<approved>0").replace("<respCode>", "<respCode>E219"),
    invalid,
  ],
  ["no rows", approval(), invalid],
  ["an empty list", xml("1", "<transactions></transactions>"), invalid],
  ["a second approval", record("Sale").replace("<approved>1", "<approved>2"), invalid],
  ["another order", record("Sale", `HFST${"0".repeat(20)}`), mismatch],
  ["the order without its first characters", record("Sale", PLAIN.slice(4)), mismatch],
  ["a state that is none of ours", record("Sale; VFT_Sale"), invalid],
  ["a status of another form", record("Sale txnStatus=2"), invalid],
  ["no status", record("Sale txnStatus="), invalid],
  ["another currency's code", record("Sale currencyCode=TRY"), invalid],
  ["no name", record("Sale hostlogkey="), invalid],
  ["an amount of nothing", record("Sale amount=0,00"), invalid],
  [
    "a field twice",
    record("Sale").replace("<state>Sale</state>", "<state>Sale</state><state>Return</state>"),
    invalid,
  ],
])("%s", (_, text, outcome) => {
  expect(read(text)).toEqual(outcome);
});
