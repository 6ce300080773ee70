// The rules of an order's life: steps, then a call and its code.
import { expect, test } from "vitest";

import type { Modes } from "./config.ts";
import {
  agreement,
  capture,
  codeOf,
  hold,
  ORDER,
  refund,
  reverse,
  sale,
  startTestBank,
  type Answer,
  type Call,
  type Fields,
} from "./test/test-bank.ts";

type Make = Call | ((answers: Answer[]) => Call);
type Step = Make | "the day ends" | { days: number };
type Row = [name: string, steps: Step[], call: Make, code: string, modes?: Partial<Modes>, options?: object];

const ends: Step = "the day ends";
const OK = "ok";
const keyOf = (answers: Answer[], index: number) => answers[index]?.hostlogkey ?? "";
const capt =
  (changes: Fields = {}, index = 0): Make =>
  (answers) =>
    capture(keyOf(answers, index), changes);
const back =
  (amount = "1250", index = 0): Make =>
  (answers) =>
    refund(keyOf(answers, index), amount);
const undo =
  (kind: string, index = 0): Make =>
  (answers) =>
    reverse(kind, keyOf(answers, index));
const byOrder = (kind: string) => reverse(kind, "", { orderID: ORDER });
const declined = sale({ ccno: "4000000000009995" });
const parts = (installment: string, more: Fields = {}) => sale({ installment, ...more });
const shared = { captureName: "hold" } as const;
const week = { days: 6.9 };

const payments: Row[] = [
  ["a first payment", [], sale(), OK],
  ["a second sale", [sale()], sale(), "2 0127"],
  ["a second one of another amount", [sale()], sale({ amount: "1" }), "2 0127"],
  ["such a one, compared", [sale()], sale({ amount: "1" }), "0125", { comparesAmounts: true }],
  ["an equal one there", [sale()], sale(), "2 0127", { comparesAmounts: true }],
  ["a hold after a sale", [sale(), ends], hold(), "2 0127"],
  ["a sale after its void", [sale(), undo("sale")], sale(), "2 0127"],
  ["a second sale that looks approved", [sale()], sale(), OK, { repeats: "approved" }],
  ["a second sale that is refused", [sale()], sale(), "0127", { repeats: "refused" }],
  ["a second sale that is refused otherwise", [sale()], sale(), "0125", { repeats: "exists" }],
  ["a sale after a decline", [declined], sale(), OK],
  ["a sale after a decline", [declined], sale(), "0125", { declinedUsesOrderId: true }],
  ["as many installments as the merchant may", [], parts("09"), OK],
  ["more installments", [], parts("10"), "0012"],
  ["installments in another currency", [], parts("02", { currencyCode: "EU" }), "0012"],
  ["installments on another bank's card", [], parts("02"), "0012", {}, { programmeBins: ["540669"] }],
  ["installments of less than a lira", [], parts("03", { amount: "299" }), "0015"],
  ["an untaken currency", [], sale({ currencyCode: "US" }), "0057", {}, { currencies: ["TRY"] }],
  ["a wrong check digit", [], sale({ ccno: "4506344103118943" }), "0014"],
  ["an expired card", [], sale({ expDate: "2610" }), "0054"],
  ["a card without funds", [], declined, "0051"],
];

const captures: Row[] = [
  ["the whole hold", [hold()], capt(), OK],
  ["a part", [hold()], capt({ amount: "1" }), OK],
  ["more than the hold", [hold()], capt({ amount: "1251" }), "0205"],
  ["more than the hold", [hold()], capt({ amount: "1251" }), "0005", { overCode: "0005" }],
  ["more within the margin", [hold()], capt({ amount: "1437" }), OK, { captureMaxPercent: 115 }],
  ["the next day", [hold(), ends, { days: 9 }], capt(), OK],
  ["a hold that has lapsed", [hold(), { days: 9 }], capt(), "0051", { holdsLapse: true }],
  ["twice on a day", [hold(), capt()], capt(), "0219"],
  ["twice under one name", [hold(), capt()], capt(), "0219", shared],
  ["a captured one after its day", [hold(), capt(), ends], capt(), "0217"],
  ["more installments than the hold", [hold({ installment: "02" })], capt({ installment: "03" }), "0206"],
  ["installments of a hold without", [hold()], capt({ installment: "02" }), "0206"],
  ["fewer installments", [hold({ installment: "03" })], capt(), OK],
  ["another currency", [hold()], capt({ currencyCode: "EU" }), "0217"],
  ["a sale", [sale()], capt(), "0015"],
  ["an unknown hold", [], capture("000000000990000191"), "0015"],
  ["a voided hold", [hold(), undo("auth")], capt(), "0217"],
  ["again after the capture's void", [hold(), capt(), undo("capt", 1)], capt(), OK],
];

const refunds: Row[] = [
  ["on the day of the sale", [sale()], back(), OK],
  ["on the day, where it is not financialised", [sale()], back(), "0411", { refundsSameDay: false }],
  ["after it", [sale(), ends], back(), OK, { refundsSameDay: false }],
  ["the order's sale", [sale()], refund("", "1250", { orderID: ORDER }), OK],
  ["the rest", [sale(), back("1000")], back("250"), OK],
  ["more than the rest", [sale(), back("1000")], back("251"), "0205"],
  ["more than the rest", [sale(), back("1000")], back("251"), "0005", { overCode: "0005" }],
  ["after a refund was voided", [sale(), back("1000"), undo("return", 1)], back(), OK],
  ["a capture", [hold(), capt()], back("1250", 1), OK],
  ["a capture under its hold's name", [hold(), capt()], back(), OK, shared],
  ["a captured hold by the hold's own name", [hold(), capt()], back(), "0123"],
  ["more than was captured", [hold(), capt({ amount: "1000" })], back("1001", 1), "0205"],
  ["an open hold", [hold()], back(), "0411"],
  ["a voided sale", [sale(), undo("sale")], back(), "0217"],
  ["an unknown order", [], refund("", "1", { orderID: ORDER }), "0123"],
  ["a declined order", [declined], refund("", "1", { orderID: ORDER }), "0123"],
  ["a refund", [sale(), back("100")], back("100", 1), "0123"],
  ["another currency", [sale()], (all) => refund(keyOf(all, 0), "1", { currencyCode: "EU" }), "0217"],
];

const voids: Row[] = [
  ["a sale", [sale()], undo("sale"), OK],
  ["a sale by its order", [sale()], byOrder("sale"), OK],
  ["a sale as a hold", [sale()], undo("auth"), "0123"],
  ["a hold", [hold()], undo("auth"), OK],
  ["a hold within a week", [hold(), ends, week], undo("auth"), OK],
  ["a hold after a week", [hold(), { days: 8 }], undo("auth"), "0122"],
  ["a captured hold", [hold(), capt()], undo("auth"), "0788"],
  ["a capture", [hold(), capt()], undo("capt", 1), OK],
  ["a capture by its order", [hold(), capt()], byOrder("capt"), OK],
  ["a capture under its hold's name", [hold(), capt()], undo("capt"), OK, shared],
  ["a capture by its hold's own name", [hold(), capt()], undo("capt"), "0123"],
  ["a hold after its capture's void", [hold(), capt(), undo("capt", 1)], undo("auth"), OK],
  [
    "a hold that went along",
    [hold(), capt(), undo("capt", 1)],
    undo("auth"),
    "0220",
    { voidLiftsHold: true },
  ],
  ["a capture twice", [hold(), capt(), undo("capt", 1)], undo("capt", 1), "0220"],
  ["a capture twice by its order", [hold(), capt(), byOrder("capt")], byOrder("capt"), "0220"],
  ["a capture of an earlier day", [hold(), capt(), ends], undo("capt", 1), "0229"],
  ["a sale after the group close", [sale(), ends], undo("sale"), "0211"],
  ["a sale after it, with another code", [sale(), ends], undo("sale"), "0123", { closedCode: "0123" }],
  ["a refunded sale", [sale(), back("1")], undo("sale"), "0218"],
  ["twice", [sale(), undo("sale")], undo("sale"), "0220"],
  ["a refund", [sale(), back("1")], undo("return", 1), OK],
  ["a refund after its day", [sale(), back("1"), ends], undo("return", 1), "0211"],
  [
    "a refund to a foreign card",
    [sale(), back("1")],
    undo("return", 1),
    "0217",
    {},
    { programmeBins: ["9"] },
  ],
  ["a void", [sale(), undo("sale")], undo("sale", 1), "0123"],
  ["a declined sale", [declined], byOrder("sale"), "0123"],
  ["an unknown order", [], byOrder("sale"), "0123"],
  ["an unknown order", [], byOrder("sale"), "0122", { unknownReverse: "no_record" }],
  ["an unknown order that looks voided", [], byOrder("sale"), OK, { unknownReverse: "approved" }],
  ["an unknown movement", [], reverse("sale", "000000000990000191"), "0123"],
];

const ofKind = (kind: string, rows: Row[]) =>
  rows.map(([name, ...rest]): Row => [`${kind}: ${name}`, ...rest]);

test.each([
  ...ofKind("payment", payments),
  ...ofKind("capture", captures),
  ...ofKind("refund", refunds),
  ...ofKind("void", voids),
])("%s (%#)", async (_, steps, call, code, modes, options) => {
  await using bank = await startTestBank({ modes: modes ?? {}, options: options ?? {} });
  const answers: Answer[] = [];
  const made = (each: Make) => (typeof each === "function" ? each(answers) : each);
  for (const step of steps) {
    if (step === ends) await bank.endDay();
    else if (typeof step === "object" && "days" in step) await bank.advance(step.days * 86_400);
    else answers.push(await bank.ask(made(step)));
  }
  expect(codeOf(await bank.ask(made(call)))).toBe(code);
});

test("a repeat has the first one's names and time, and moves nothing", async () => {
  await using bank = await startTestBank();
  const first = await bank.ask(sale());
  await bank.advance(60);
  const names = ({ hostlogkey, authCode, tranDate }: Answer) => [hostlogkey, authCode, tranDate];
  expect(names(await bank.ask(sale({ amount: "1" })))).toEqual(names(first));
  await bank.modes({ repeats: "approved" });
  expect(names(await bank.ask(sale({ amount: "1" })))).toEqual(names(first));
  expect((await bank.ledger()).map(({ outcome }) => outcome)).toEqual(["approved", "declined", "declined"]);
});

test("a capture has its own name or that of its hold, and the hold's code", async () => {
  await using bank = await startTestBank();
  const held = await bank.ask(hold());
  const captured = await bank.ask(capture(held.hostlogkey));
  expect([captured.authCode, captured.hostlogkey === held.hostlogkey]).toEqual([held.authCode, false]);
  await bank.modes({ captureName: "hold", reverseName: "target" });
  await bank.ask(reverse("capt", captured.hostlogkey));
  expect((await bank.ask(capture(held.hostlogkey))).hostlogkey).toBe(held.hostlogkey);
  const { hostlogkey, authCode } = await bank.ask(reverse("capt", held.hostlogkey));
  expect([hostlogkey, authCode]).toEqual([held.hostlogkey, "000000"]);
  expect((await bank.ledger()).map(({ voided }) => voided)).toEqual([null, null, "capture", null, "capture"]);
});

test("with the order id parameter an order is used up for its day, and named with it", async () => {
  await using bank = await startTestBank({ options: { orderIdParameter: true } });
  const short = sale({ orderID: "o" });
  expect([await bank.code(short), await bank.code(short)]).toEqual([OK, "2 0127"]);
  await bank.advance(86_400);
  expect(await bank.code(short)).toBe(OK);
  expect(await bank.code(agreement("o"))).toBe("0150");
  expect(await bank.code(reverse("sale", "", { orderID: "o", orderDate: "20261123" }))).toBe(OK);
  const rows = await bank.rows("o", { orderDate: "20261122" });
  expect(rows).toMatchObject([{ txnStatus: "1", tranDate: "2026-11-22 12:00:00.000" }]);
});

test("an order lives on over a restart", async () => {
  await using bank = await startTestBank();
  const { hostlogkey } = await bank.ask(sale());
  await bank.ask(refund(hostlogkey, "1000"));
  await bank.endDay();
  await bank.restart();
  expect((await bank.rows()).map(({ state }) => state)).toEqual(["Sale", "Return"]);
  expect(await bank.code(refund(hostlogkey, "251"))).toBe("0205");
});
