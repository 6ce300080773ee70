import type { ApiPaymentResponse, OperatorPaymentLife } from "@holdfast/contracts";
import { Html, type Language } from "@holdfast/html";
import { expect, test } from "vitest";
import { TEXTS } from "../ui/texts.ts";
import { paymentColumns } from "./payment-columns.ts";
import { factsOfPayment } from "./payment-facts.ts";
import { PAYMENT_TEXTS } from "./payment-texts.ts";

const readerIn = (language: Language) => ({ language, locale: language, texts: TEXTS[language] });

const PAYMENT = {
  paymentId: "p1",
  orderId: "order-1",
  amount: 100,
  currency: "TRY",
  status: "SUCCESS",
  transactionType: "PAYMENT",
  pan: "411111******1111",
  cardScheme: "VISA",
  cardType: "CREDIT",
  domInt: "INT",
  paymentDate: "2026-11-20T12:00:00.000Z",
  livemode: true,
} as unknown as ApiPaymentResponse;

test.each([
  ["en", "Sale", "VISA 411111 … 1111 Credit Foreign"],
  ["tr", "Satış", "VISA 411111 … 1111 Kredi kartı Yurt dışı"],
] as const)("a payment's type and its card are in the reader's words (%s)", (language, type, card) => {
  const life = { merchantId: "m1", payment: PAYMENT } as unknown as OperatorPaymentLife;
  const facts = factsOfPayment(readerIn(language), life, undefined);
  const valueOf = (name: string) => facts.find(([each]) => each === name)?.[1];
  expect(valueOf(PAYMENT_TEXTS[language].type)).toBe(type);
  expect(valueOf(TEXTS[language].card)).toBe(card);
});

test.each([
  ["en", "Refunded", "Disputed"],
  ["tr", "İade edildi", "İtirazlı"],
] as const)("a list marks payments of which money went back or is disputed (%s)", (language, ...marks) => {
  const reader = readerIn(language);
  const column = paymentColumns(reader).find(({ heading }) => heading === reader.texts.status)!;
  const marksOf = (change: Partial<ApiPaymentResponse>) => {
    const cell = column.cell({ merchantId: "m1", payment: { ...PAYMENT, ...change } });
    return cell instanceof Html ? marks.filter((mark) => cell.text.includes(`>${mark}<`)) : [];
  };
  expect(marksOf({})).toEqual([]);
  expect(marksOf({ refundableAmount: 95, refundedAmount: 5, pendingRefundAmount: 0 })).toEqual([marks[0]]);
  expect(marksOf({ refundableAmount: 80, chargedBackAmount: 20 })).toEqual([marks[1]]);
});
