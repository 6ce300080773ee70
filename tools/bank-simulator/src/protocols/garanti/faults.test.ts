// The core's faults over this wire, the protocol's own faults and modes, inquiries and the day's statement.
import { expect, test } from "vitest";

import type { Modes } from "./config.ts";
import {
  codeOf,
  followUp,
  hold,
  isSigned,
  readAnswer,
  sale,
  startTestBank,
  type Answer,
  type Fields,
} from "./test/test-bank.ts";

test.each<[operation: string, before: Fields[], call: Fields]>([
  ["authorize", [], hold()],
  ["sale", [], sale()],
  ["capture", [hold()], followUp("postauth")],
  ["void", [sale()], followUp("void")],
  ["refund", [sale()], followUp("refund", "", { Amount: "1" })],
])("%s: faults reach it before its effect and after it", async (operation, before, call) => {
  await using bank = await startTestBank();
  for (const step of before) await bank.ask(step);
  const effects = async () =>
    (await bank.ledger()).filter((line) => line.operation === operation).map(({ outcome }) => outcome);
  const codes = { gateway_error: "9999", time_out: "9998", unlisted: "0999", host_silent: "91" };
  for (const [kind, code] of Object.entries(codes)) {
    await bank.fault(operation, `${kind}_not_done`);
    expect(await bank.code(call)).toBe(code);
  }
  await bank.fault(operation, "hang_before");
  await expect(bank.ask(call)).rejects.toThrow("fetch failed");
  expect(await effects()).toEqual([]);
  await bank.fault(operation, "decline");
  expect(await bank.code(call)).toBe("05");
  await bank.fault(operation, "unlisted_done");
  expect(await bank.ask(call)).toMatchObject({ Code: "92", ReasonCode: "0999", RetrefNum: "" });
  expect(await effects()).toEqual(["declined", "approved"]);
});

test("answers are bent: another order, a wrong hash, texts that are long or no XML, garbage", async () => {
  await using bank = await startTestBank();
  await bank.ask(sale());
  const bent = async (behaviour: string) => {
    await bank.fault("inquire", behaviour);
    return await bank.raw({ Type: "orderinq" });
  };
  expect(readAnswer(await bent("other_order"))["Order/OrderID"]).toBe("0");
  expect(isSigned(await bent("wrong_hash"))).toBe(false);
  expect(readAnswer(await bent("control_characters")).ErrorMsg?.length).toBeGreaterThan(200);
  for (const name of ["illegal_characters", "garbage"]) {
    const text = await bent(name);
    expect(() => readAnswer(text)).toThrow("not a GVPSResponse");
  }
  expect(codeOf(readAnswer(await bent("gateway_error_done")))).toBe("9999");
  expect(readAnswer(await bent("wrong_amount")).AuthAmount).toBe("1251");
  expect((await bank.order()).AuthAmount).toBe("1250");
});

test("a part, a wrong amount and a double payment are seen in inquiries alone", async () => {
  await using bank = await startTestBank();
  for (const [order, fault] of Object.entries({ o: "partial", p: "wrong_amount", q: "twice" })) {
    await bank.fault("sale", fault);
    expect(await bank.code(sale({ "Order/OrderID": order }))).toBe("ok");
  }
  const amounts = async (order: string) => rowsOf(await bank.history(order), "AuthAmount");
  expect([await amounts("o"), await amounts("p"), await amounts("q")]).toEqual(["625", "1251", "1250, 1250"]);
  await bank.fault("void", "day_closes");
  expect(await bank.code(followUp("void"))).toBe("0201");
});

test.each<[Partial<Modes>, Fields, string]>([
  [{ access: "outage" }, sale(), "9999"],
  [{ access: "wrong_password" }, sale(), "0651"],
  [{ access: "closed" }, sale(), "0654"],
  [{ access: "address_not_allowed" }, { Type: "orderinq" }, "0769"],
  [{ sharedTerminal: true }, hold(), "14"],
  [{ sharedTerminal: true }, followUp("refund"), "05"],
])("in the mode %j %j is refused", async (modes, fields, code) => {
  await using bank = await startTestBank({ modes });
  expect(await bank.code(fields)).toBe(code);
});

test("modes of the hash: missing, of the older version, over padded values, and of a caller that is not known", async () => {
  await using bank = await startTestBank({ modes: { answerHash: "missing" } });
  expect(await bank.raw(sale())).not.toContain("HashData");
  await bank.modes({ answerHash: "sha1" });
  expect(isSigned(await bank.raw(followUp("refund")), "PROVRFN", "sha1")).toBe(true);
  await bank.modes({ answerHash: "right", paddedValues: true });
  const padded = await bank.raw(sale({ "Order/OrderID": "p" }));
  expect(padded).toMatch(/<AuthCode>\d{6} {2}</);
  expect(isSigned(padded)).toBe(true);
  expect(await bank.raw(sale({ hash: "x" }))).not.toContain("HashData");
  await bank.modes({ signsBadCredentials: true });
  expect(isSigned(await bank.raw(sale({ hash: "x" })))).toBe(true);
});

test("orderinq shows the payment with its times and the last movement; it has no other state than a hold's", async () => {
  await using bank = await startTestBank();
  const nothing = { Status: "", AuthAmount: "0", "Order/OrderInqResult/CardNumberMasked": "null" };
  expect(await bank.order()).toMatchObject(nothing);
  expect(codeOf(pick(await bank.order()))).toBe("0110");
  await bank.ask(hold());
  const facts = "Status PreAuthAmount AuthAmount InstallmentCnt";
  expect(rowsOf([await bank.order()], facts)).toBe("WAITINGPOSTAUTH 1250 0 0");
  const captured = await bank.ask(followUp("postauth", "", { Amount: "1000" }));
  const shown = await bank.order();
  expect(rowsOf([shown], facts)).toBe("APPROVED 1250 1000 0");
  expect(shown["Order/OrderInqResult/RetrefNum"]).toBe(captured.RetrefNum);
  expect(shown.AuthDate).toBe("2026-11-22 12:00:00.000");
  expect(pick(shown)).toEqual({ Source: "GVPS", Code: "00", ReasonCode: "", Message: "Approved" });
});

test("orderhistoryinq has dates without times, refusals of the issuer and the first of a refund", async () => {
  await using bank = await startTestBank();
  expect(codeOf(await bank.ask({ Type: "orderhistoryinq" }))).toBe("0108");
  await bank.ask(sale({ "Card/CVV2": "082" }));
  const { RetrefNum } = await bank.ask(sale());
  for (let times = 0; times < 2; times += 1) await bank.ask(followUp("refund", "632600000099"));
  await bank.ask(followUp("void", RetrefNum));
  const facts = "Type Status ReturnCode AuthAmount AuthDate VoidDate CurrencyCode Settlement";
  expect(rowsOf(await bank.history(), facts).split(", ")).toEqual([
    "sales 01 82 1250 20261122  949 N",
    "sales 00 00 1250 20261122 20261122 949 N",
    "refund 01 0208 1250 20261122  949 N",
  ]);
  expect((await bank.history())[1]?.RetrefNum).toBe(RetrefNum);
  await bank.modes({ voidsShown: "row" });
  expect(rowsOf(await bank.history(), "Type VoidDate")).toBe("sales , sales , refund , void ");
});

test("modes of the history: no refusals, and a capture in its hold's place", async () => {
  await using bank = await startTestBank({ modes: { listsRefusals: false, captureInPlace: true } });
  await bank.ask(hold({ "Card/CVV2": "082" }));
  expect((await bank.order()).Status).toBe("");
  const { RetrefNum } = await bank.ask(hold());
  await bank.ask(followUp("postauth"));
  const facts = "Type RetrefNum PreAuthAmount AuthAmount";
  expect(rowsOf(await bank.history(), facts)).toBe(`preauth ${RetrefNum} 1250 1250`);
});

test("the core's unkindnesses: a clock, a lag, a duplicate window and a refund in the panel", async () => {
  let nowMs = Date.parse("2026-11-22T09:00:00Z");
  await using bank = await startTestBank({ machineNow: () => nowMs });
  await bank.modes({ clockOffsetSeconds: -60, historyLagSeconds: 60, duplicateWindowSeconds: 60 });
  const sold = await bank.ask(sale());
  expect(sold.ProvDate).toBe("20261122 11:59:00");
  expect((await bank.ask(sale())).RetrefNum).toBe(sold.RetrefNum);
  expect(await bank.history()).toEqual([]);
  nowMs += 60_000;
  expect(await bank.history()).toHaveLength(1);
  const panel = (amountMinor: number) => bank.call("POST", "/panel/refunds", { order: "o", amountMinor });
  expect([(await panel(250)).status, (await panel(1_001)).status]).toEqual([200, 409]);
});

test("each day's end leaves a statement of a terminal's sales, refunds and voids", async () => {
  await using bank = await startTestBank();
  const sold = await bank.ask(sale({ InstallmentCnt: "3" }));
  await bank.ask(hold({ "Order/OrderID": "held" }));
  const refund = followUp("refund", sold.RetrefNum, { Amount: "100" });
  const refunded = await bank.ask(refund);
  await bank.ask(followUp("void", refunded.RetrefNum));
  await bank.endDay();
  const file = await fetch(`${bank.url}/settlements/ekstre-30691298-000001-20261122.csv`);
  const rows = (await file.text()).trim().split("\r\n").slice(1, -1);
  const [sale3, refund1] = [sold.RetrefNum, refunded.RetrefNum];
  const expected = `4,18 ${sale3}, 4,16 ${sale3}, 4,16 ${sale3}, -1,00 ${refund1}, 1,00 ${refund1}`;
  expect(rows.map((row) => `${row.split(";")[12]} ${row.split(";")[22]}`).join(", ")).toBe(expected);
});

function rowsOf(rows: Answer[], names: string): string {
  const cells = names.split(" ");
  return rows.map((row) => cells.map((name) => row[name]).join(" ")).join(", ");
}

/** The result of the answer itself, and not of the movement that it shows. */
function pick(answer: Answer) {
  const names = ["Source", "Code", "ReasonCode", "Message"];
  return Object.fromEntries(names.map((name) => [name, answer[`Transaction/Response/${name}`]]));
}
