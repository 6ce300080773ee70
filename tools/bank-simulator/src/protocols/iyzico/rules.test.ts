import * as fc from "fast-check";
import { expect, test } from "vitest";

import { BankClock, Book, kindness, type Unkindness } from "../../core/index.ts";
import type { Call, Desk } from "./calls/call.ts";
import { cancel, capture, refundAmount, refundItem } from "./calls/follow-up-calls.ts";
import { hold, sale } from "./calls/payment-calls.ts";
import { defaultConfig } from "./config.ts";
import { postingOf, type Entry } from "./ledger-line.ts";
import { defaultModes, type Modes } from "./modes.ts";
import { itemsOf, Payments, seenBy } from "./payments.ts";
import { card, paymentBody } from "./test/shop.ts";
import { followUp } from "./test/test-bank.ts";

/** The API without its server: each step is judged, applied and answered with its code. */
class Api {
  readonly book = new Book<Entry>(postingOf);
  readonly payments = new Payments();
  nowMs = Date.parse("2030-06-15T12:00:00Z");
  modes: Modes & Unkindness = { ...kindness, ...defaultModes };
  paymentId = "";

  /** The code of the answer, or `approved`. */
  call(call: Call, body: object): string {
    const bank = { book: this.book, clock: new BankClock("UTC") };
    const desk = { bank, payments: this.payments, modes: this.modes } as unknown as Desk;
    const [merchant] = defaultConfig.merchants;
    const begun = call.begin(desk, { merchant: merchant!, publicUrl: "" }, JSON.parse(JSON.stringify(body)));
    if ("refusal" in begun) throw new Error("the body is malformed");
    const { line, outcome } = begun.judge(
      { forcedCode: undefined, isPartial: false, isTwice: false },
      this.nowMs,
    );
    if (line) {
      this.book.apply(line);
      this.payments.takeLine(line);
      this.paymentId = line.paymentId;
    }
    const { errorCode: code = "approved" } = outcome.fields as { errorCode?: string };
    return `${line ? "" : "refused "}${code}`;
  }

  pay(call: Call, number?: string): string {
    const items = paymentBody()["basketItems"] as object[];
    const basketItems = items.map((item, index) => ({ ...item, price: ["0.67", "0.33"][index] }));
    const body = {
      price: "1",
      paidPrice: "1",
      installment: "1",
      basketItems,
      paymentCard: texts(card(number)),
    };
    return this.call(call, paymentBody(body));
  }

  /** A step by its name and, if it has one, its amount. */
  step(text: string): string {
    const [name, amount = "1", currency = "TRY"] = text.split(" ");
    const body = { ...followUp(), currency, paymentId: this.paymentId, paidPrice: amount, price: amount };
    const paymentTransactionId = String(Number(this.paymentId) + 2);
    if (name === "capture") return this.call(capture, body);
    if (name === "cancel") return this.call(cancel, body);
    if (name === "refund") return this.call(refundAmount, body);
    if (name === "refundItem") return this.call(refundItem, { ...body, paymentTransactionId });
    if (name === "day") this.book.endDay(this.nowMs);
    else if (name === "wait") this.nowMs += Number(amount) * 86_400_000;
    else return this.pay(name === "hold" ? hold : sale, amount === "1" ? undefined : amount);
    return "";
  }
}

/** Numbers arrive as the text that was sent. */
function texts(fields: object) {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
}

const DECLINED = "4129111111111111";
const STUBBORN = "5406670000000009";

test.each<[steps: string, code: string, modes?: Partial<Modes>]>([
  ["hold, capture", "approved"],
  ["hold, capture 0.01", "approved"],
  ["hold, capture 1.01", "10231"],
  ["hold, capture 0", "refused 5005"],
  ["hold, capture 100000.01", "refused 5008"],
  ["hold, capture 1 EUR", "refused 5184"],
  ["hold, capture, capture", "10203"],
  ["sale, capture", "10012"],
  [`hold ${DECLINED}, capture`, "10012"],
  ["hold, cancel, capture", "10012"],
  [`hold ${STUBBORN}, capture`, "10012"],
  ["hold, day, capture", "approved"],
  ["hold, capture 0.99", "10231", { captureAmounts: "equal" }],
  ["hold, capture 1", "approved", { captureAmounts: "equal" }],
  ["hold, capture 1.01", "approved", { captureAmounts: "higher" }],
  ["hold, capture", "10005", { captures: "refused" }],
  ["sale, cancel", "approved"],
  ["sale, day, cancel", "10223"],
  ["hold, capture, cancel", "approved"],
  ["hold, day, capture, cancel", "approved"],
  ["hold, capture, day, cancel", "10223"],
  ["hold, day, cancel", "approved"],
  ["hold, cancel, cancel", "10203"],
  [`sale ${DECLINED}, cancel`, "10012"],
  [`sale ${STUBBORN}, cancel`, "10012"],
  ["sale, refund 0.01, cancel", "10012"],
  ["hold, cancel", "approved", { holdCancel: "same_day" }],
  ["hold, day, cancel", "10223", { holdCancel: "same_day" }],
  ["hold, cancel", "10012", { holdCancel: "refused" }],
  ["sale, refund", "approved"],
  ["sale, refund 0", "refused 5005"],
  ["sale, refund 1 EUR", "refused 5184"],
  ["sale, refund 1.01", "5008"],
  ["sale, refund 0.5, refund 0.51", "5008"],
  ["hold, refund", "10012"],
  ["hold, capture 0.5, refund 0.51", "5008"],
  ["hold, capture 0.5, refund 0.5", "approved"],
  ["sale, cancel, refund", "10012"],
  [`sale ${DECLINED}, refund`, "10012"],
  [`sale ${STUBBORN}, refund`, "10246"],
  ["sale, wait 365, refund", "approved"],
  ["sale, wait 365.01, refund", "10246"],
  ["sale, day, refund", "approved"],
  ["sale, refundItem 0.33", "approved"],
  ["sale, refundItem 0.34", "5008"],
  ["sale, refund 0.01", "10223", { sameDayRefunds: "refused" }],
  ["sale, day, refund 0.01", "approved", { sameDayRefunds: "refused" }],
  ["hold, day, capture, refund", "10223", { sameDayRefunds: "refused" }],
])("the last of %s is judged %s %o", (steps, code, modes = {}) => {
  const api = new Api();
  api.modes = { ...api.modes, ...modes };
  expect(
    steps
      .split(", ")
      .map((step) => api.step(step))
      .at(-1),
  ).toBe(code);
});

test("a payment that the fraud desk refuses is declined, and one in review is not", () => {
  const api = new Api();
  for (const fraudStatus of [-1, 0] as const) {
    api.modes = { ...api.modes, fraudStatus };
    api.step("sale");
  }
  expect(api.payments.ofConversation("1000001", "shop-pay-1").map(({ line }) => line.resultCode)).toEqual([
    "10034",
    null,
  ]);
});

const amount = fc.integer({ min: 0, max: 120 }).map((minor) => (minor / 100).toFixed(2));
const step = fc
  .tuple(fc.constantFrom("capture", "cancel", "refund", "refundItem", "day"), amount)
  .map((parts) => parts.join(" "));

test("no order of captures, cancels, refunds and days gives back more than was captured", () => {
  fc.assert(
    fc.property(fc.constantFrom("hold", "sale"), fc.array(step, { maxLength: 12 }), (first, steps) => {
      const api = new Api();
      api.step(first);
      for (const each of steps) api.step(each);
      const payment = seenBy(api.book, "1000001", api.payments.ofId(api.paymentId))!;
      const items = itemsOf(payment);
      for (const { leftMinor } of items) expect(leftMinor).toBeGreaterThanOrEqual(0n);
      const refunded = items.reduce((sum, { paidMinor, leftMinor }) => sum + paidMinor - leftMinor, 0n);
      const isCaptured = payment.row!.capturedMinor > 0n && payment.row!.status !== "voided";
      expect(refunded).toBeLessThanOrEqual(isCaptured ? payment.row!.capturedMinor : 0n);
      expect(payment.paidMinor).toBeLessThanOrEqual(100n);
      expect(items.reduce((sum, { paidMinor }) => sum + paidMinor, 0n)).toBe(payment.paidMinor);
      const lines = api.payments.movements;
      const ofRefunds = lines.flatMap(({ refunds = [] }) => refunds).map(({ amountMinor }) => amountMinor);
      expect(ofRefunds.reduce((sum, minor) => sum + minor, 0)).toBe(Number(refunded));
      const once = lines.filter(({ operation }) => operation === "capture" || operation === "void");
      expect(new Set(once.map(({ operation }) => operation)).size).toBe(once.length);
    }),
    { numRuns: 1_000 },
  );
});
