import { z } from "zod";

import { duplicateOf, halfOf, verdictOf, type Order } from "../../../core/index.ts";
import { failure, success, type Outcome } from "../answer.ts";
import type { Entry } from "../ledger-line.ts";
import { itemsOf, seenBy, type Item, type Payment } from "../payments.ts";
import { cancelRules, captureRules, refundRules, type FollowUpCase, type RulesOfLife } from "../rules.ts";
import { Decimal } from "../wire/decimal.ts";
import type { ErrorCode } from "../wire/error-codes.ts";
import { defineCall, type Call, type Desk } from "./call.ts";
import { amountField, currencyField, followUpFields, idField } from "./fields.ts";
import { CONNECTOR, paymentAnswer, paymentSigns } from "./payment-answer.ts";
import { verdictFields } from "./payment-calls.ts";

/** A follow-up as its call requests it; without an amount it covers the whole payment. */
type Asked = {
  conversationId: string;
  paymentId?: string;
  paymentTransactionId?: string;
  amountMinor?: bigint;
  currency?: string;
};

type FollowUp = {
  group: "payments" | "refunds" | "cancels";
  operation: "capture" | "void" | "refund";
  schema: z.ZodType<Asked>;
  rules: RulesOfLife;
  answer: (desk: Desk, payment: Payment, line: Entry, asked: Asked) => Outcome;
};

function followUpCall({ group, operation, schema, rules, answer }: FollowUp): Call {
  return defineCall<Asked>({
    group,
    fault: operation,
    schema,
    judge: (desk, { merchant }, asked, { forcedCode, isPartial }, nowMs) => {
      const { paymentId, paymentTransactionId: itemId } = asked;
      const { payments, bank, modes } = desk;
      const known = itemId === undefined ? payments.ofId(paymentId ?? "") : payments.ofItem(itemId);
      const payment = seenBy(bank.book, merchant.merchantId, known);
      if (!payment) return { outcome: failure(itemId === undefined ? "5002" : "5001") };
      const items = itemsOf(payment).filter(
        (item) => (itemId ?? item.paymentTransactionId) === item.paymentTransactionId,
      );
      const { amountMinor = payment.paidMinor, currency = payment.line.currency } = asked;
      const of: FollowUpCase = {
        order: payment.order,
        row: payment.row,
        id: payment.line.paymentId,
        amountMinor,
        currency,
        day: bank.book.day,
        nowMs,
        payment,
        leftMinor: items.reduce((sum, { leftMinor }) => sum + leftMinor, 0n),
        modes,
      };
      const copied = duplicateOf(payment.order, { ...of, operation }, modes);
      if (copied) return { outcome: answer(desk, payment, copied, asked) };
      const refusal = forcedCode ? undefined : verdictOf(rules.refusals, of);
      const code = refusal ?? forcedCode ?? verdictOf(rules.declines, of);
      const failed = code && failure(code, { paymentId: of.id, retryable: false });
      if (failed && refusal) return { outcome: failed };
      const carriedOut = isPartial && !code ? { ...of, amountMinor: halfOf(amountMinor) } : of;
      const line: Entry = {
        ...lineOf(desk, operation, carriedOut, asked.conversationId, code ?? null, items),
        ...(carriedOut !== of && { requestedMinor: Number(amountMinor) }),
      };
      return { outcome: failed ?? answer(desk, payment, line, asked), line };
    },
  });
}

function lineOf(
  { payments }: Desk,
  operation: FollowUp["operation"],
  of: FollowUpCase,
  conversationId: string,
  code: ErrorCode | null,
  items: readonly Item[],
): Entry {
  const { orderId, merchantId, paymentId, basketId, currency, pan } = of.payment.line;
  const isApprovedRefund = operation === "refund" && code === null;
  const refunds = isApprovedRefund ? partsOf(items, of.amountMinor, () => payments.nextId()) : [];
  return {
    ...verdictFields(code, of.nowMs),
    operation,
    orderId,
    merchantId,
    paymentId,
    basketId,
    currency,
    pan,
    transactionId: operation === "capture" ? paymentId : (refunds[0]?.refundTxId ?? payments.nextId()),
    amountMinor: Number(of.amountMinor),
    conversationId,
    ...(isApprovedRefund && { refunds }),
    ...(operation === "refund" && { isAfterSettlement: of.row?.status === "settled" }),
  };
}

/** The parts of a refund by item. Without one the bank chooses the items, in their order. */
function partsOf(items: readonly Item[], amountMinor: bigint, nextId: () => string) {
  let left = amountMinor;
  const parts = items.map(({ paymentTransactionId, leftMinor }) => {
    const part = leftMinor < left ? leftMinor : left;
    left -= part;
    return { paymentTransactionId, partMinor: part };
  });
  return parts
    .filter(({ partMinor }) => partMinor > 0n)
    .map(({ paymentTransactionId, partMinor }) => ({
      paymentTransactionId,
      refundTxId: nextId(),
      amountMinor: Number(partMinor),
    }));
}

export const capture = followUpCall({
  group: "payments",
  operation: "capture",
  schema: z
    .object({ ...followUpFields, paymentId: idField, paidPrice: amountField, currency: currencyField })
    .transform(({ paidPrice, ...asked }) => ({ ...asked, amountMinor: paidPrice })),
  rules: captureRules,
  answer: (desk, payment, { amountMinor, authCode }) => {
    const captured = { ...payment, phase: "POST_AUTH", paidMinor: BigInt(amountMinor) } as const;
    return success({ ...paymentAnswer(desk, captured), authCode }, paymentSigns);
  },
});

/** Checked, and of no effect. */
const reasonFields = { reason: z.string().max(50).nullish(), description: z.string().max(1_000).nullish() };

export const cancel = followUpCall({
  group: "cancels",
  operation: "void",
  schema: z.object({ ...followUpFields, paymentId: idField, ...reasonFields }),
  rules: cancelRules,
  answer: (_desk, payment, line) => {
    const { hostReference: cancelHostReference } = line;
    return success({ ...followUpAnswer(payment, line), cancelHostReference, connectorName: CONNECTOR });
  },
});

export const refundItem = refundCall({ paymentTransactionId: idField, ...reasonFields }, [
  "paymentId",
  "price",
  "currency",
  "conversationId",
]);
export const refundAmount = refundCall({ paymentId: idField }, ["paymentId", "conversationId"]);

function refundCall(which: z.ZodRawShape, signs: readonly string[]): Call {
  return followUpCall({
    group: "refunds",
    operation: "refund",
    schema: z
      .object({ ...followUpFields, ...which, price: amountField, currency: currencyField })
      .transform(({ price, ...asked }) => ({ ...asked, amountMinor: price })),
    rules: refundRules,
    answer: ({ modes }, payment, line, { paymentTransactionId }) => {
      const refundHostReference = modes.refundNames === "record_only" ? undefined : line.hostReference;
      const fields = { paymentTransactionId, refundHostReference, retryable: false };
      return success({ ...followUpAnswer(payment, line), ...fields }, signs);
    },
  });
}

type PaymentOrder = Pick<Order<Entry>, "merchant" | "id">;

/** A refund that somebody makes in the merchant's panel. @returns whether the rules of life allowed it */
export function refundInPanel(desk: Desk, order: PaymentOrder, amountMinor: bigint): Promise<boolean> {
  return actInPanel(desk, order, "refund", amountMinor);
}

/** A cancel by iyzico's staff in its panel. A payment is an order of its own. */
export function voidInPanel(desk: Desk, order: PaymentOrder): Promise<boolean> {
  return actInPanel(desk, order, "void");
}

function actInPanel(
  desk: Desk,
  { merchant: merchantId, id }: PaymentOrder,
  operation: "refund" | "void",
  part?: bigint,
): Promise<boolean> {
  const { bank, payments, modes } = desk;
  const { refusals, declines } = operation === "refund" ? refundRules : cancelRules;
  return bank.judge<boolean>((nowMs) => {
    const payment = seenBy(bank.book, merchantId, payments.ofId(id));
    if (!payment) return { outcome: false };
    const { order, row } = payment;
    const items = itemsOf(payment);
    const leftMinor = items.reduce((sum, item) => sum + item.leftMinor, 0n);
    const { currency } = payment.line;
    const amountMinor = part ?? payment.paidMinor;
    const { day } = bank.book;
    const of = { order, row, id, amountMinor, currency, day, nowMs, payment, leftMinor, modes };
    if (verdictOf([...refusals, ...declines], of)) return { outcome: false };
    const line: Entry = { ...lineOf(desk, operation, of, PANEL, null, items), uncalled: "panel" };
    return { line, outcome: true };
  });
}

/** The conversation of what is done in the panel. */
const PANEL = "merchant-panel";

function followUpAnswer({ line: { paymentId, currency, hostReference } }: Payment, line: Entry) {
  const price = Decimal.ofMinor(BigInt(line.amountMinor));
  return { paymentId, price, currency, authCode: line.authCode, hostReference };
}
