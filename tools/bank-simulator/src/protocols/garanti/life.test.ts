// The rules of an order's life: steps, then a call and its code.
import { expect, test } from "vitest";

import type { Modes } from "./config.ts";
import { codeOf, followUp, hold, sale, startTestBank, type Answer, type Fields } from "./test/test-bank.ts";

type Call = Fields | ((answers: Answer[]) => Fields);
type Step = Call | "the day ends" | { days: number };
type Row = [name: string, steps: Step[], call: Call, code: string, modes?: Partial<Modes>, options?: object];

const dayEnds: Step = "the day ends";
const of =
  (type: string, index: number, changes?: Fields) =>
  (answers: Answer[]): Fields =>
    followUp(type, answers[index]?.RetrefNum, changes);
const amount = (minor: number) => ({ Amount: String(minor) });
const parts = (count: string) => ({ InstallmentCnt: count });
const capture = of("postauth", 0);
const declined = sale({ "Card/Number": "4000000000009995" });
const GOOD = "ok";

const payments: Row[] = [
  ["a first payment", [], sale(), GOOD],
  ["a second sale", [sale()], sale(), "0104"],
  ["a sale after a hold", [hold()], sale(), "0111"],
  ["a hold after a settled sale", [sale(), dayEnds], hold(), "0104"],
  ["a sale after a decline", [declined], sale(), GOOD],
  ["a sale after a decline", [declined], sale(), "0111", { declinedUsesOrderId: true }],
  ["a sale after a void", [sale(), of("void", 0)], sale(), "0104"],
  ["a sale after a void", [sale(), of("void", 0)], sale(), GOOD, { voidedFreesOrderId: true }],
  ["as many installments as the merchant may", [], sale(parts("12")), GOOD],
  ["more installments", [], sale(parts("13")), "0122"],
  ["installments in another currency", [], sale({ ...parts("2"), CurrencyCode: "978" }), "0122"],
  ["installments outside the programme", [], sale(parts("2")), "0122", {}, { programmeBins: ["540669"] }],
  ["installments within the programme", [], sale(parts("2")), GOOD, {}, { programmeBins: ["428220"] }],
  ["a wrong check digit", [], sale({ "Card/Number": "4282209004348016" }), "14"],
  ["an expired card", [], sale({ "Card/ExpireDate": "1026" }), "54"],
  ["a CVV that the issuer declines", [], sale({ "Card/CVV2": "082" }), "82"],
  ["a card without funds", [], declined, "51"],
  ["mail order", [], sale({ MotoInd: "Y" }), GOOD, {}, { mailOrder: true }],
];

const captures: Row[] = [
  ["the whole hold", [hold()], capture, GOOD],
  ["a part", [hold()], of("postauth", 0, amount(1)), GOOD],
  ["the order's hold", [hold()], followUp("postauth"), GOOD],
  ["the next day", [hold(), dayEnds, { days: 8 }], capture, GOOD],
  ["a hold that has lapsed", [hold(), { days: 8 }], capture, "51", { holdsLapse: true }],
  ["more than the hold", [hold()], of("postauth", 0, amount(1251)), "13"],
  ["more within the margin", [hold()], of("postauth", 0, amount(1437)), GOOD, { captureMaxPercent: 115 }],
  ["an unknown order", [], followUp("postauth"), "0102"],
  ["a sale", [sale()], capture, "0102"],
  ["another movement", [hold()], followUp("postauth", "632600000099"), "0209"],
  ["twice", [hold(), capture], capture, "0204"],
  ["a voided hold", [hold(), of("void", 0)], capture, "0205"],
  ["another currency", [hold()], of("postauth", 0, { CurrencyCode: "978" }), "0759"],
  ["other installments", [hold(parts("3"))], capture, "0122"],
  ["the same installments", [hold(parts("3"))], of("postauth", 0, parts("3")), GOOD],
];

const refund = (minor: number, index = 0) => of("refund", index, amount(minor));
const refunds: Row[] = [
  ["on the day of the sale", [sale()], refund(1250), GOOD],
  ["after it", [sale(), dayEnds], refund(1250), GOOD],
  ["the order's sale", [sale()], followUp("refund"), GOOD],
  ["the rest", [sale(), refund(1000)], refund(250), GOOD],
  ["more than the rest", [sale(), refund(1000)], refund(251), "0214"],
  ["after a refund was voided", [sale(), refund(1000), of("void", 1)], refund(1250), GOOD],
  ["a capture", [hold(), capture], refund(1250, 1), GOOD],
  ["a captured hold by the hold's number", [hold(), capture], refund(1250), "0208"],
  ["more than was captured", [hold(), of("postauth", 0, amount(1000))], refund(1001, 1), "0214"],
  ["an open hold", [hold()], refund(1250), "0203"],
  ["a voided sale", [sale(), of("void", 0)], refund(1250), "0203"],
  ["an unknown order", [], followUp("refund"), "0103"],
  ["a declined order", [declined], followUp("refund"), "0103"],
  ["a refund", [sale(), refund(100)], refund(100, 1), "0208"],
  ["another currency", [sale()], of("refund", 0, { CurrencyCode: "978" }), "0759"],
];

const voids: Row[] = [
  ["a sale", [sale()], of("void", 0), GOOD],
  ["a hold", [hold()], of("void", 0), GOOD],
  ["a capture", [hold(), capture], of("void", 1), GOOD],
  ["a captured hold by the hold's number", [hold(), capture], of("void", 0), "0210"],
  ["a refund", [sale(), refund(100)], of("void", 1), GOOD],
  ["the order's only movement", [sale()], followUp("void"), GOOD],
  ["the order where two could be meant", [sale(), refund(100)], followUp("void"), "0202"],
  ["a sale while its refund stands", [sale(), refund(100)], of("void", 0), "0207"],
  ["after the day's end", [sale(), dayEnds], of("void", 0), "0201"],
  ["the order after the day's end", [sale(), dayEnds], followUp("void"), "0201"],
  ["a hold after the day's end", [hold(), dayEnds], of("void", 0), "0201"],
  ["such a hold where that is allowed", [hold(), dayEnds], of("void", 0), GOOD, { voidHoldsAfterDay: true }],
  ["twice", [sale(), of("void", 0)], of("void", 0), "0201"],
  ["a void", [sale(), of("void", 0)], of("void", 1), "0210"],
  ["an unknown order", [], followUp("void"), "0101"],
  ["another movement", [sale()], followUp("void", "632600000099"), "0210"],
  ["a hold that is back", [hold(), capture, of("void", 1)], of("void", 0), GOOD, { voidReturnsHold: true }],
  ["a hold that is gone", [hold(), capture, of("void", 1)], of("void", 0), "0201"],
];

const ofKind = (kind: string, rows: Row[]) =>
  rows.map(([name, ...rest]): Row => [`${kind}: ${name}`, ...rest]);

test.each([
  ...ofKind("payment", payments),
  ...ofKind("capture", captures),
  ...ofKind("refund", refunds),
  ...ofKind("void", voids),
])("%s", async (_, steps, call, code, modes, options) => {
  await using bank = await startTestBank({ modes: modes ?? {}, options: options ?? {} });
  const answers: Answer[] = [];
  const fieldsOf = (each: Call) => (typeof each === "function" ? each(answers) : each);
  for (const step of steps) {
    if (step === dayEnds) await bank.endDay();
    else if (typeof step === "object" && typeof step["days"] === "number")
      await bank.advance(step["days"] * 86_400);
    else answers.push(await bank.ask(fieldsOf(step as Call)));
  }
  expect(codeOf(await bank.ask(fieldsOf(call)))).toBe(code);
});

test("a capture has a new number and the hold's code, a refund the sale's", async () => {
  await using bank = await startTestBank();
  const held = await bank.ask(hold());
  const captured = await bank.ask(capture([held]));
  const refunded = await bank.ask(followUp("refund", captured.RetrefNum));
  expect(new Set([held, captured, refunded].map(({ AuthCode }) => AuthCode)).size).toBe(1);
  expect(new Set([held, captured, refunded].map(({ RetrefNum }) => RetrefNum)).size).toBe(3);
});

test("a refused follow-up has a number, a payment that the gateway refuses has none", async () => {
  await using bank = await startTestBank();
  await bank.ask(sale());
  expect((await bank.ask(sale())).RetrefNum).toBe("");
  expect((await bank.ask(followUp("refund", "632600000099"))).RetrefNum).toMatch(/^6326\d{8}$/);
  expect(await bank.ask(sale({ "Order/OrderID": "p", "Card/CVV2": "082" }))).toMatchObject({
    RetrefNum: expect.stringMatching(/^6326\d{8}$/),
    AuthCode: "",
  });
});

test("an order lives on over a restart", async () => {
  await using bank = await startTestBank();
  const sold = await bank.ask(sale());
  await bank.ask(of("refund", 0, amount(1000))([sold]));
  await bank.endDay();
  await bank.restart();
  expect((await bank.history()).map(({ Type, Settlement }) => [Type, Settlement])).toEqual([
    ["sales", "E"],
    ["refund", "E"],
  ]);
  expect(await bank.code(of("refund", 0, amount(251))([sold]))).toBe("0214");
});
