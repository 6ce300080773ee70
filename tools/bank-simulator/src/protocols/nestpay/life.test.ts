// The rules of an order's life and of a request's form: steps, then a call and its code.
import { expect, test } from "vitest";

import { verdictOf } from "../../core/index.ts";
import { secondStep, type NestpayCase } from "./rules.ts";
import { auth, preAuth, startTestBank, type Answer, type Fields } from "./test/test-bank.ts";

type Step = Fields | "the day ends" | { seconds: number };
type Call = Fields | ((answers: Answer[]) => Fields);
type Row = [name: string, steps: Step[], call: Call, code: string, rules?: object];

const dayEnds: Step = "the day ends";
const DAY = 86_400;
const sale = (changes?: Fields) => auth("o", changes);
const hold = (changes?: Fields) => preAuth("o", changes);
const capture = (changes?: Fields): Fields => ({ Type: "PostAuth", OrderId: "o", ...changes });
const voiding: Fields = { Type: "Void", OrderId: "o" };
const credit = (Total: string, changes?: Fields): Fields => ({
  Type: "Credit",
  OrderId: "o",
  Total,
  ...changes,
});
const declined = sale({ Number: "4000000000009995" });
const voidOf =
  (index: number) =>
  (answers: Answer[]): Fields => ({ Type: "Void", TransId: answers[index]?.TransId ?? "" });
const GOOD = "Approved";

const payments: Row[] = [
  ["a first payment", [], sale(), GOOD],
  ["a second sale", [sale()], sale(), "2507"],
  ["a hold after a settled sale", [sale(), dayEnds], hold(), "2507"],
  ["a sale after a hold", [hold()], sale(), "2507"],
  ["a sale after a captured hold", [hold(), capture()], sale(), "2507"],
  ["a sale after a decline", [declined], sale(), GOOD],
  ["a sale after a void", [sale(), voiding], sale(), GOOD],
  ["a sale after a void", [sale(), voiding], sale(), "2302", { voidedFreesOrderId: false }],
  ["a negative amount", [], sale({ Total: "-1.00" }), "1024"],
  ["nothing", [], sale({ Total: "0.00" }), "2009"],
  ["a currency that the merchant does not have", [], sale({ Currency: "941" }), "1010"],
  ["installments in another currency than lira", [], sale({ Currency: "978", Taksit: "2" }), "2124"],
  ["as many installments as the merchant may", [], sale({ Taksit: "12" }), GOOD],
  ["more installments", [], sale({ Taksit: "13" }), "2603"],
  ["installments of a merchant without them", [], sale({ Taksit: "2" }), "2204", { installmentsMax: 0 }],
  ["a merchant without installments", [], sale(), GOOD, { installmentsMax: 0 }],
  ["Taksit 1", [], sale({ Taksit: "1" }), GOOD],
  ["Taksit 1 at strict banks", [], sale({ Taksit: "1" }), "2603", { installmentOneRefused: true }],
  ["no Taksit at strict banks", [], sale(), GOOD, { installmentOneRefused: true }],
  ["a wrong check digit", [], sale({ Number: "4355084355084357" }), "2012"],
  ["too few digits", [], sale({ Number: "42" }), "2012"],
  ["the card's last month", [], sale({ Expires: "11/26" }), GOOD],
  ["the last second of it in Turkey", [{ seconds: 8.5 * DAY - 1 }], sale({ Expires: "11/26" }), GOOD],
  ["the month after it", [{ seconds: 8.5 * DAY }], sale({ Expires: "11/26" }), "2010"],
  ["no CVV", [], sale({ Cvv2Val: "" }), "2208"],
  ["no CVV where none is needed", [], sale({ Cvv2Val: "" }), GOOD, { cvvRequired: false }],
  ["a CVV of other characters", [], sale({ Cvv2Val: "12a" }), "2515"],
  ["the CVV that the issuer declines", [], sale({ Cvv2Val: "082" }), "ISO8583-82"],
];

const captures: Row[] = [
  ["the whole hold", [hold()], capture(), GOOD],
  ["a part", [hold()], capture({ Total: "10" }), GOOD],
  ["an order that the bank does not know", [], capture(), "2509"],
  ["a declined hold", [hold({ Number: "4000000000009995" })], capture(), "2509"],
  ["a hold that is captured", [hold(), capture({ Total: "1" })], capture(), "2509"],
  ["a hold that is voided", [hold(), voiding], capture(), "2509"],
  ["a sale", [sale()], capture(), "2115"],
  ["after fifteen days", [hold(), { seconds: 15 * DAY }], capture(), GOOD],
  ["after more", [hold(), { seconds: 15 * DAY + 1 }], capture(), "2513"],
  ["more than the hold", [hold()], capture({ Total: "12.51" }), "2505"],
  ["more with PREAMT", [hold()], capture({ Total: "12.51", "Extra/PREAMT": "12.50" }), "2512"],
  ...(
    [
      ["115 %", { Total: "14.37", "Extra/PREAMT": "12.50" }, GOOD],
      ["more than 115 %", { Total: "14.38", "Extra/PREAMT": "12.50" }, "2512"],
      ["another PREAMT than the hold", { Total: "14.37", "Extra/PREAMT": "10.00" }, "2512"],
      ["more without PREAMT", { Total: "14.37" }, "2505"],
    ] as const
  ).map(([name, changes, code]): Row => [name, [hold()], capture(changes), code, { captureOverHold: true }]),
  ["another currency", [hold()], capture({ Currency: "978" }), "2119"],
  ["nothing", [hold()], capture({ Total: "0" }), "2009"],
  ["a negative amount", [hold()], capture({ Total: "-1" }), "1024"],
];

const credits: Row[] = [
  ["a settled sale", [sale(), dayEnds], credit("12.50"), GOOD],
  ["more than the sale", [sale(), dayEnds], credit("12.51"), "2503"],
  ["the rest", [sale(), dayEnds, credit("10")], credit("2.50"), GOOD],
  ["more than the rest", [sale(), dayEnds, credit("10")], credit("2.51"), "2503"],
  ["more than the rest on another day", [sale(), dayEnds, credit("10"), dayEnds], credit("2.51"), "2503"],
  ["after a refused refund", [sale(), dayEnds, credit("13")], credit("12.50"), GOOD],
  ["after a voided refund", [sale(), dayEnds, credit("10"), voiding], credit("12.50"), GOOD],
  ["more than was captured", [hold(), capture({ Total: "10" }), dayEnds], credit("10.01"), "2503"],
  ["before the day's end", [sale()], credit("1"), "2508"],
  ["before the day's end where that is allowed", [sale()], credit("1"), GOOD, { sameDayCredit: true }],
  ["when all is refunded", [sale(), dayEnds, credit("12.50")], credit("1"), "215021"],
  ["a voided sale", [sale(), voiding], credit("1"), "215021"],
  ["an order that is not known", [], credit("1"), "2123"],
  ["a declined order", [declined], credit("1"), "2116"],
  ["an open hold", [hold()], credit("1"), "2117"],
  ["nothing", [sale(), dayEnds], credit("0"), "2009"],
  ["a negative amount", [sale(), dayEnds], credit("-1"), "1024"],
  ["another currency", [sale(), dayEnds], credit("1", { Currency: "978" }), "2119"],
];

const refunded: Step[] = [sale(), dayEnds, credit("1")];
const voids: Row[] = [
  ["a sale", [sale()], voiding, GOOD],
  ["a sale by TransId", [sale()], voidOf(0), GOOD],
  ["a hold", [hold()], voiding, GOOD],
  ["a hold by TransId", [hold()], voidOf(0), GOOD],
  ["a captured hold", [hold(), capture()], voiding, GOOD],
  ["a capture by TransId", [hold(), capture()], voidOf(1), GOOD],
  ["a captured hold by the hold's TransId", [hold(), capture()], voidOf(0), "2008"],
  ["the same at other banks", [hold(), capture()], voidOf(0), GOOD, { transIdAfterCapture: "hold" }],
  ["a refund after its sale's day", refunded, voiding, GOOD],
  ["a refund by TransId", refunded, voidOf(1), GOOD],
  ["a settled sale", [sale(), dayEnds], voiding, "2511"],
  ["a settled sale by TransId", [sale(), dayEnds], voidOf(0), "2511"],
  ["an order that is not known", [], voiding, "2008"],
  ["a declined order", [declined], voiding, "2008"],
  ["a declined payment by TransId", [declined], voidOf(0), "2008"],
  ["a voided order", [sale(), voiding], voiding, "2008"],
  ["a voided sale by TransId", [sale(), voiding], voidOf(0), "2008"],
  ["an unknown TransId", [], { Type: "Void", TransId: "x" }, "2008"],
  ["one of two refunds by the order", [...refunded, credit("2")], voiding, "2133"],
  ["a sale while its refund stands", [sale(), credit("1")], voidOf(0), "2008", { sameDayCredit: true }],
  ["a hold of an earlier day", [hold(), dayEnds], voiding, GOOD],
  ["the same at other banks", [hold(), dayEnds], voiding, "2008", { voidHoldsAfterDay: false }],
  ["a hold of the day at those", [hold()], voiding, GOOD, { voidHoldsAfterDay: false }],
];

const forms: Row[] = [
  ["a wrong mode", [], sale({ Mode: "X" }), "1006"],
  ["a payment without a mode", [], sale({ Mode: null }), "1006"],
  ["an unknown type", [], { Type: "Query", OrderId: "o" }, "2001"],
  ["no type", [], { OrderId: "o" }, "2003"],
  ["an inquiry without an order", [], { "Extra/ORDERSTATUS": "QUERY" }, "2301"],
  ["a capture without an order", [], { Type: "PostAuth" }, "2301"],
  ["a refund without an order", [], { Type: "Credit", Total: "1" }, "2301"],
  ["a TransId in a sale", [], sale({ TransId: "1" }), "1028"],
  ["a TransId in a hold", [], hold({ TransId: "1" }), "1028"],
  ["a TransId in a capture", [], capture({ TransId: "1" }), "1028"],
  ["a void of nothing named", [], { Type: "Void" }, "2002"],
  ["an order id of 65 characters", [], auth("o".repeat(65)), "1015"],
  ["an address of 40 characters", [], sale({ IPAddress: "1".repeat(40) }), "1011"],
  ["an unknown currency", [], sale({ Currency: "999" }), "1010"],
  ["yen", [], sale({ Currency: "392" }), "1010"],
  ["an unknown currency of a refund", [], credit("1", { Currency: "TL" }), "1010"],
  ["three decimals", [], sale({ Total: "100.250" }), "1024"],
  ["19 digits", [], sale({ Total: "12345678901234567.00" }), "1024"],
  ["no amount of a refund", [], { Type: "Credit", OrderId: "o" }, "1024"],
  ["an amount of a capture that is none", [], capture({ Total: "x" }), "1024"],
  ["zero installments", [], sale({ Taksit: "0" }), "1023"],
  ["a thirteenth month", [], sale({ Expires: "13/30" }), "2011"],
  ["no card", [], sale({ Number: "" }), "2015"],
  ["a year of four digits", [], sale({ Expires: "12/2030" }), GOOD],
  ["a month before a point", [], sale({ Expires: "12.2030" }), GOOD],
];

const ofKind = (kind: string, rows: Row[]) =>
  rows.map(([name, ...rest]): Row => [`${kind}: ${name}`, ...rest]);

test.each([
  ...ofKind("payment", payments),
  ...ofKind("capture", captures),
  ...ofKind("refund", credits),
  ...ofKind("void", voids),
  ...ofKind("form", forms),
])("%s", async (_name, steps, call, code, rules) => {
  await using bank = await startTestBank({ options: rules ?? {} });
  const answers: Answer[] = [];
  for (const step of steps) {
    if (step === dayEnds) await bank.endDay();
    else if (typeof step.seconds === "number") await bank.advance(step.seconds);
    else answers.push(await bank.ask(step as Fields));
  }
  const answer = await bank.ask(typeof call === "function" ? call(answers) : call);
  const refusal = answer["Extra/ERRORCODE"]?.replace("CORE-", "");
  expect(answer.Response === "Approved" ? GOOD : refusal).toBe(code);
});

test("an md whose challenge is not answered pays nothing", () => {
  const session = { authentication: undefined };
  expect(verdictOf(secondStep, { isXidUsed: false, session } as NestpayCase)).toBe(2206);
});
