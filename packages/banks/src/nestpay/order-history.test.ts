import { describe, expect, test } from "vitest";

import { movementsOf, readHistory, standingIn, type HistoryRow } from "./order-history.ts";
import { readAnswer } from "./answer.ts";
import { answerXml, emptyHistoryXml, historyRow, historyXml, refusedXml } from "./test/scripted-bank.ts";

const read = (xml: string) => {
  const exchange = {
    kind: "answered",
    status: 200,
    bytes: Buffer.from(xml),
    contentType: "text/xml",
  } as const;
  return readHistory(readAnswer(exchange)!, "order1");
};
const rowsOf = (...rows: string[]): readonly HistoryRow[] => {
  const history = read(historyXml("order1", ...rows));
  if (history.kind !== "found") throw new Error(history.kind);
  return history.rows;
};
/** Adds an error code to the answer, like one of the gateway's own. */
const withCode = (xml: string, code: string) =>
  xml
    .replace("<ProcReturnCode>05", "<ProcReturnCode>99")
    .replace("</Extra>", `<ERRORCODE>${code}</ERRORCODE></Extra>`);
const invalid = { kind: "unknown", reason: "invalid_answer" };

test("a row has its amounts in minor units and its names", () => {
  expect(rowsOf(historyRow("S", "C", { original: "101", transId: "22302V8rE11732" }))).toEqual([
    {
      charge: "S",
      state: "C",
      amountMinor: 101n,
      capturedMinor: 101n,
      hostReference: "230200671758",
      authCode: "621911",
      procReturnCode: "00",
      transId: "22302V8rE11732",
    },
  ]);
});

test("rows come oldest first, with or without the settlement's batch", () => {
  const rows = rowsOf(`${historyRow("C", "C", { transId: "T2" })}\t4711`, historyRow("S", "S"));
  expect(rows.map(({ transId }) => transId)).toEqual(["T1", "T2"]);
});

test("an order that the bank does not know is not found", () => {
  expect(read(emptyHistoryXml("order1"))).toEqual({ kind: "not_found" });
});

describe("what is not that answer is not not_found", () => {
  const empty = emptyHistoryXml("order1");
  test.each([
    ["a wrong password", refusedXml("2201"), { kind: "not_sent", reason: "credentials" }],
    ["an address that may not ask", refusedXml("2254"), { kind: "not_sent", reason: "credentials" }],
    ["the gateway's trouble", refusedXml("1005"), invalid],
    ["a refusal without a code", refusedXml(""), invalid],
    ["a refusal with a code", refusedXml("2013"), invalid],
    [
      "another order's",
      empty.replace("<OrderId>order1", "<OrderId>order2"),
      { kind: "unknown", reason: "mismatch" },
    ],
    ["no order's", empty.replace("<OrderId>order1", "<OrderId>"), invalid],
    ["an error code", withCode(empty, "CORE-2201"), { kind: "not_sent", reason: "credentials" }],
    ["no count", empty.replace("<TRXCOUNT>0</TRXCOUNT>", ""), invalid],
    ["a count", empty.replace("<TRXCOUNT>0", "<TRXCOUNT>1"), invalid],
    ["a row", empty.replace("</Extra>", "<TRX1>S</TRX1></Extra>"), invalid],
    ["an error", empty.replace("<Response>Declined", "<Response>Error"), invalid],
    ["another code", empty.replace("<ProcReturnCode>05", "<ProcReturnCode>00"), invalid],
    [
      "an issuer that is out",
      empty.replace("<ProcReturnCode>05", "<ProcReturnCode>91"),
      { reason: "pending" },
    ],
    ["a numeric code", empty.replace("<NUMCODE>0", "<NUMCODE>992201"), invalid],
    ["nothing", answerXml({}), invalid],
  ])("%s", (_, xml, expected) => {
    expect(read(xml)).toMatchObject(expected);
  });
});

test.each(["", "2026-10-25 02:30:05.000", "yesterday"])("no time is read: %o", (time) => {
  const [row] = rowsOf(historyRow("S", "C", { time }));
  expect(row).toEqual(rowsOf(historyRow("S", "C"))[0]);
});

describe("one row that cannot be read makes the whole answer invalid", () => {
  const good = historyRow("S", "C");
  const column = (at: number, text: string) => good.split("\t").with(at, text).join("\t");
  test.each([
    ["another kind", column(0, "X")],
    ["another state", column(1, "Q")],
    ["a decimal amount", column(2, "1.01")],
    ["no amount", column(2, "")],
    ["a captured amount that is none", column(3, "all")],
    ["a code of control characters", column(8, "12\u00a034")],
    ["an approval with another code", column(9, "05")],
    ["no name", column(10, "")],
    ["a name of two words", column(10, "T 1")],
    ["a column less", good.split("\t").slice(1).join("\t")],
    ["two columns more", `${good}\t1\t2`],
    ["a refund of two amounts", historyRow("C", "C", { captured: "1" })],
  ])("%s", (_, row) => {
    expect(read(historyXml("order1", good, row))).toEqual(invalid);
  });

  test("and so does a refused one with a name of two words", () => {
    expect(read(historyXml("order1", good, historyRow("C", "D", { transId: "T 1" })))).toEqual(invalid);
  });

  test("and so does an error code beside the rows", () => {
    expect(read(withCode(historyXml("order1", good), "CORE-1005"))).toEqual(invalid);
  });

  test("and so does one too few, or a gap", () => {
    const xml = historyXml("order1", good, good);
    expect(read(xml.replace("<TRXCOUNT>2", "<TRXCOUNT>3"))).toEqual(invalid);
    expect(read(xml.replaceAll("TRX2", "TRX3"))).toEqual(invalid);
    expect(read(historyXml("order1"))).toEqual(invalid);
    expect(read(historyXml("order2", good))).toEqual({ kind: "unknown", reason: "mismatch" });
    expect(read(historyXml("", good))).toEqual(invalid);
  });
});

describe("the movements of an order", () => {
  const kinds = (rows: readonly HistoryRow[], operation?: "sale" | "authorize") =>
    movementsOf(rows, { currency: "TRY", ...(operation && { operation }) }).map(({ kind, state }) => [
      kind,
      state,
    ]);

  test.each([
    ["C", "approved"],
    ["S", "approved"],
    // On some terminals a sale is authorized until its capture is written.
    ["A", "approved"],
    ["V", "voided"],
    ["D", "declined"],
    ["CNCL", "declined"],
    ["ERR", "pending"],
    ["R", "pending"],
    ["PN", "pending"],
  ])("a sale in state %s is %s", (state, expected) => {
    expect(kinds(rowsOf(historyRow("S", state)), "sale")).toEqual([["sale", expected]]);
  });

  test("whatever a reversal sees of a success, an inquiry sees as well", () => {
    const seen = { approved: "live", voided: "voided", pending: "pending", declined: "none" } as const;
    for (const state of ["C", "A", "V", "D", "CNCL", "ERR", "R", "PN"]) {
      const rows = rowsOf(historyRow("S", state));
      const [sale] = movementsOf(rows, { currency: "TRY", operation: "sale" });
      const { kind } = standingIn({ kind: "found", rows }, "TRY");
      expect([state, kind]).toEqual([state, seen[sale!.state as keyof typeof seen]]);
    }
  });

  test("an authorization is one until it is captured, and then there are two", () => {
    expect(kinds(rowsOf(historyRow("S", "A")), "authorize")).toEqual([["authorize", "approved"]]);
    expect(kinds(rowsOf(historyRow("S", "V")), "authorize")).toEqual([["authorize", "voided"]]);
    expect(kinds(rowsOf(historyRow("S", "D", { proc: "05" })), "authorize")).toEqual([
      ["authorize", "declined"],
    ]);
    for (const state of ["C", "S"]) {
      expect(kinds(rowsOf(historyRow("S", state)), "authorize")).toEqual([
        ["authorize", "approved"],
        ["capture", "approved"],
      ]);
    }
  });

  test("a row of a captured authorization has one name, and what is known is the authorization's", () => {
    const ids = (externalTransactionId: string) =>
      movementsOf(rowsOf(historyRow("S", "C", { transId: "T2" })), {
        currency: "TRY",
        operation: "authorize",
        externalTransactionId,
      }).map((movement) => movement.externalTransactionId);
    expect(ids("T1")).toEqual(["T1", "T2"]);
    expect(ids("T2")).toEqual(["T2", undefined]);
  });

  test("a refused capture is none of the authorization", () => {
    const rows = rowsOf(historyRow("S", "D", { proc: "99", transId: "T2" }), historyRow("S", "A"));
    expect(kinds(rows, "authorize")).toEqual([
      ["authorize", "approved"],
      ["capture", "declined"],
    ]);
  });

  test("refunds stand beside what they pay back, refused ones too", () => {
    const rows = rowsOf(
      historyRow("C", "V", { original: "300", transId: "T4" }),
      historyRow("C", "C", { original: "200", transId: "T3" }),
      historyRow("C", "D", { original: "100", transId: "", proc: "99" }),
      historyRow("S", "S"),
    );
    expect(kinds(rows, "sale")).toEqual([
      ["sale", "approved"],
      ["refund", "declined"],
      ["refund", "approved"],
      ["refund", "voided"],
    ]);
    expect(movementsOf(rows, { currency: "USD", operation: "sale" })[2]).toEqual({
      kind: "refund",
      state: "approved",
      amountMinor: 200n,
      currency: "USD",
      externalTransactionId: "T3",
      authCode: "621911",
      hostReference: "230200671758",
      resultCode: "00",
      resultMessage: "",
    });
  });

  test("without the payment's operation a row is shown as each that it may be, so that none is missed", () => {
    expect(kinds(rowsOf(historyRow("S", "A")))).toEqual([
      ["sale", "approved"],
      ["authorize", "approved"],
    ]);
    expect(kinds(rowsOf(historyRow("S", "C")))).toEqual([
      ["sale", "approved"],
      ["authorize", "approved"],
      ["capture", "approved"],
    ]);
  });

  test("an amount that the bank captured counts, not the one that it was asked for", () => {
    const rows = rowsOf(historyRow("S", "C", { original: "10000", captured: "9000" }));
    expect(movementsOf(rows, { currency: "TRY", operation: "sale" })[0]?.amountMinor).toBe(9_000n);
  });
});
