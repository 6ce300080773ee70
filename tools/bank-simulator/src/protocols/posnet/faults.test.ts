// The inquiry with its modes, the core's faults over this wire, the protocol's own faults, and the day's
// statement.
import { expect, test } from "vitest";

import type { Modes } from "./config.ts";
import {
  agreement,
  capture,
  codeOf,
  hold,
  ORDER,
  readAnswer,
  refund,
  reverse,
  sale,
  startTestBank,
  type Answer,
  type Call,
  type Fields,
} from "./test/test-bank.ts";

const shown = (rows: Answer[]) =>
  rows.map(({ state, txnStatus, amount }) => `${state} ${txnStatus} ${amount}`).join(", ");

test("agreement has a row for each movement, and 0 for what failed or was voided", async () => {
  await using bank = await startTestBank();
  expect(await bank.code(agreement())).toBe("E219");
  await bank.ask(sale({ cvc: "082" }));
  const held = await bank.ask(hold());
  const captured = await bank.ask(capture(held.hostlogkey, { amount: "1000" }));
  await bank.ask(reverse("capt", captured.hostlogkey));
  await bank.ask(refund(captured.hostlogkey));
  const rows = await bank.rows();
  expect(shown(rows)).toBe("Sale 0 12,50, Authorization 1 12,50, Capture 0 10,00, Capture_Reverse 1 10,00");
  const { authCode, hostlogkey } = held;
  const facts = { orderID: ORDER, ccno: "4506 34** **** 8942", currencyCode: "TL", authCode, hostlogkey };
  expect(rows[1]).toMatchObject({ ...facts, tranDate: "2026-11-22 12:00:00.000" });
});

const steps: [Partial<Modes>, string][] = [
  [{}, "Authorization 1, Capture 0, Capture_Reverse 1"],
  [{ voidsShown: "row" }, "Authorization 1, Capture 1, Capture_Reverse 1"],
  [{ voidsShown: "status" }, "Authorization 1, Capture 0"],
  [{ capturedHoldCounts: false }, "Authorization 0, Capture 0, Capture_Reverse 1"],
  [{ newestFirst: true }, "Capture_Reverse 1, Capture 0, Authorization 1"],
  [{ captureName: "hold" }, "Authorization 1, Capture 0, Capture_Reverse 1"],
];
test.each(steps)("in the mode %j a voided capture is shown as %s", async (modes, expected) => {
  await using bank = await startTestBank({ modes });
  const held = await bank.ask(hold());
  const captured = await bank.ask(capture(held.hostlogkey));
  await bank.ask(reverse("capt", captured.hostlogkey));
  const rows = await bank.rows();
  expect(rows.map(({ state, txnStatus }) => `${state} ${txnStatus}`).join(", ")).toBe(expected);
});

test.each([
  ["comma", "1234567", "12345,67"],
  ["grouped", "1234567", "12.345,67"],
  ["grouped", "116", "1,16"],
  ["point", "1234567", "12345.67"],
  ["minor", "1234567", "1234567"],
])("amounts as %s: %s is %s", async (amounts, amount, text) => {
  await using bank = await startTestBank({ modes: { amounts: amounts as Modes["amounts"] } });
  await bank.ask(sale({ amount }));
  expect(await bank.rows()).toMatchObject([{ amount: text }]);
});

test("modes of the rows: their block, an order's zeros, its declines, and the name of a void", async () => {
  await using bank = await startTestBank({ modes: { rows: "flat", reverseName: "target" } });
  const { hostlogkey } = await bank.ask(sale());
  const text = () => bank.raw(agreement());
  expect(await text()).toMatch(/<transactions><orderID>/);
  await bank.ask(reverse("sale", hostlogkey));
  expect((await bank.rows()).map((row) => row.hostlogkey)).toEqual([hostlogkey, hostlogkey]);
  await bank.modes({ rows: "split" });
  expect(await text()).toMatch(/<transactions><transaction>.*<\/transactions><transactions><transaction>/);
  await bank.modes({ leadingZeros: "hidden", hostLogKeyCase: true });
  expect(await bank.rows()).toMatchObject([{ orderID: ORDER.slice(4), hostLogKey: hostlogkey }, {}]);
  await bank.modes({ leadingZeros: "unfound", listsDeclines: false });
  expect(await bank.code(agreement())).toBe("E219");
  await bank.ask(sale({ orderID: "1".repeat(24), cvc: "082" }));
  expect(await bank.rows("1".repeat(24))).toEqual([]);
});

test("a refused call may have another movement's name", async () => {
  await using bank = await startTestBank({ modes: { refusalsNameAnother: true } });
  const { hostlogkey } = await bank.ask(sale());
  const refused = sale({ orderID: "1".repeat(24), cvc: "082" });
  expect(await bank.ask(refused)).toMatchObject({ approved: "0", hostlogkey });
});

const before = async (bank: { ask: (call: Call) => Promise<Answer> }, first: Call | undefined) =>
  first ? (await bank.ask(first)).hostlogkey : undefined;
test.each<[string, Call | undefined, (key?: string) => Call]>([
  ["authorize", undefined, () => hold()],
  ["sale", undefined, () => sale()],
  ["capture", hold(), (key) => capture(key)],
  ["void", sale(), (key) => reverse("sale", key)],
  ["refund", sale(), (key) => refund(key, "1")],
])("%s: faults reach it before its effect and after it", async (operation, first, make) => {
  await using bank = await startTestBank();
  const call = make(await before(bank, first));
  const effects = async () =>
    (await bank.ledger()).filter((line) => line.operation === operation).map(({ outcome }) => outcome);
  for (const [kind, code] of Object.entries({ host_silent: "0091", system: "E998", unlisted: "0999" })) {
    await bank.fault(operation, `${kind}_not_done`);
    expect(await bank.code(call)).toBe(code);
  }
  await bank.fault(operation, "hang_before");
  await expect(bank.ask(call)).rejects.toThrow("fetch failed");
  expect(await effects()).toEqual([]);
  await bank.fault(operation, "decline");
  expect(await bank.code(call)).toBe("0005");
  await bank.fault(operation, "unlisted_done");
  expect(await bank.ask(call)).toMatchObject({ approved: "0", respCode: "0999" });
  expect(await effects()).toEqual(["declined", "approved"]);
});

test("answers are bent: without a name, without a decision, with texts that are long or no XML, garbage", async () => {
  await using bank = await startTestBank();
  const bent = async (operation: string, behaviour: string, call: Call) => {
    await bank.fault(operation, behaviour);
    return await bank.raw(call);
  };
  const nameless = readAnswer(await bent("sale", "no_hostlogkey", sale()));
  expect([codeOf(nameless), nameless.hostlogkey]).toEqual(["ok", undefined]);
  expect(readAnswer(await bent("inquire", "no_approved", agreement())).approved).toBeUndefined();
  expect(
    readAnswer(await bent("inquire", "control_characters", agreement())).respText?.length,
  ).toBeGreaterThan(200);
  expect(readAnswer(await bent("inquire", "other_order", agreement())).orderID).toBe(
    ORDER.replace(/.$/, "_"),
  );
  expect(readAnswer(await bent("inquire", "wrong_amount", agreement())).amount).toBe("12,51");
  expect(readAnswer(await bent("inquire", "system_done", agreement())).respCode).toBe("E998");
  for (const name of ["illegal_characters", "garbage"]) {
    const text = await bent("inquire", name, agreement());
    expect(() => readAnswer(text)).toThrow("not a posnetResponse");
  }
});

test("a part, a wrong amount and a double payment are seen in inquiries alone", async () => {
  await using bank = await startTestBank();
  const orderOf = (digit: string): Fields => ({ orderID: digit.repeat(24) });
  for (const [digit, fault] of Object.entries({ 1: "partial", 2: "wrong_amount", 3: "twice" })) {
    await bank.fault("sale", fault);
    expect(await bank.code(sale(orderOf(digit)))).toBe("ok");
  }
  const rows = async (digit: string) => shown(await bank.rows(digit.repeat(24)));
  expect([await rows("1"), await rows("2")]).toEqual(["Sale 1 6,25", "Sale 1 12,51"]);
  expect(await rows("3")).toBe("Sale 1 12,50, Sale 1 12,50");
  await bank.fault("void", "day_closes");
  expect(await bank.code(reverse("sale", "", orderOf("3")))).toBe("0211");
});

test("the core's unkindnesses: a clock, a lag, a duplicate window and a refund in the panel", async () => {
  let nowMs = Date.parse("2026-11-22T09:00:00Z");
  await using bank = await startTestBank({ machineNow: () => nowMs });
  await bank.modes({ clockOffsetSeconds: -60, historyLagSeconds: 60, duplicateWindowSeconds: 60 });
  const sold = await bank.ask(sale());
  expect(sold.tranDate).toBe("261122115900");
  expect(await bank.ask(sale())).toMatchObject({ approved: "1", hostlogkey: sold.hostlogkey });
  expect(await bank.code(agreement())).toBe("E219");
  nowMs += 60_000;
  expect(await bank.rows()).toHaveLength(1);
  const panel = (amountMinor: number) => bank.call("POST", "/panel/refunds", { order: ORDER, amountMinor });
  expect([(await panel(250)).status, (await panel(1_001)).status]).toEqual([200, 409]);
});

test("each day's end leaves a statement of a terminal's sales, refunds and voids", async () => {
  await using bank = await startTestBank();
  const { hostlogkey = "" } = await bank.ask(sale({ installment: "03" }));
  await bank.ask(hold({ orderID: "1".repeat(24) }));
  const refunded = await bank.ask(refund(hostlogkey, "100"));
  await bank.ask(reverse("return", refunded.hostlogkey));
  await bank.endDay();
  const file = await (await fetch(`${bank.url}/settlements/ekstre-67005551-000001-20261122.csv`)).text();
  const rows = file.trim().split("\r\n").slice(1, -1);
  const [sold, back] = [`${hostlogkey} ${ORDER}`, `${refunded.hostlogkey} ${ORDER}`];
  expect(rows.map((row) => `${row.split(";")[12]} ${row.split(";")[22]} ${row.split(";")[21]}`)).toEqual([
    ...["4,18", "4,16", "4,16"].map((amount) => `${amount} ${sold}`),
    ...["-1,00", "1,00"].map((amount) => `${amount} ${back}`),
  ]);
});
