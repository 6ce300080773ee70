import { when, type Case, type Rule } from "../../core/index.ts";
import { cardBin, type CardPlan } from "./cards.ts";
import { sumOf } from "./fees.ts";
import type { Entry } from "./ledger-line.ts";
import type { Modes } from "./modes.ts";
import type { Payment } from "./payments.ts";
import type { ErrorCode } from "./wire/error-codes.ts";

type Rules<Of> = readonly Rule<Of, ErrorCode>[];

/** A requested payment; amounts are minor units. */
export type PaymentRequest = {
  conversationId: string;
  basketId: string;
  priceMinor: bigint;
  paidPriceMinor: bigint;
  currency: string;
  installment: number;
  pan: string;
  /** The card's expiry, `YYYY-MM`. */
  expiry: string;
  items: readonly { itemId: string; priceMinor: bigint }[];
  buyerId: string;
  ip: string;
};

/** An account's limit of 100 000 (iyzico protocol, error code 5008). */
const PRICE_MAX_MINOR = 10_000_000n;

/** A new payment's own faults, which a start of 3-D Secure finds, too. */
export const orderRefusals: Rules<PaymentRequest & { plan: CardPlan | undefined }> = [
  [({ priceMinor, paidPriceMinor }) => priceMinor === 0n || paidPriceMinor === 0n, "5005"],
  [(order) => order.priceMinor > PRICE_MAX_MINOR || order.paidPriceMinor > PRICE_MAX_MINOR, "5008"],
  [({ items, priceMinor }) => sumOf(items.map((item) => item.priceMinor)) !== priceMinor, "5062"],
  [({ plan }) => plan === undefined, "12"],
  [({ pan, currency }) => cardBin(pan).bankName !== "" && currency !== "TRY", "5184"],
  [({ pan, installment }) => cardBin(pan).cardType === "DEBIT_CARD" && installment > 1, "10218"],
];

/** A call about a payment. `leftMinor` is the amount that can be refunded of the payment, or of the item that it names. */
export type FollowUpCase = Case<Entry> & { payment: Payment; leftMinor: bigint; modes: Readonly<Modes> };

const isOtherCurrency = ({ payment, currency }: FollowUpCase) => currency !== payment.line.currency;
const isOverAccount = ({ amountMinor }: FollowUpCase) => amountMinor > PRICE_MAX_MINOR;
const isOverLeft = ({ amountMinor, leftMinor }: FollowUpCase) => amountMinor > leftMinor;
const refusesFollowUps = ({ payment }: FollowUpCase) => payment.line.payment.refusesFollowUps;
const isTooLate = ({ payment, nowMs }: FollowUpCase) =>
  nowMs - Date.parse(payment.line.payment.createdAt) > REFUND_PERIOD_MS;
const inMode =
  <Name extends keyof Modes>(name: Name, value: Modes[Name]) =>
  ({ modes }: FollowUpCase) =>
    modes[name] === value;

/** 365 days (iyzico protocol, idempotency, time-outs, limits). */
const REFUND_PERIOD_MS = 365 * 86_400_000;

/**
 * The rules of life of a payment (iyzico protocol, error codes, and rules that the simulator has to enforce).
 * A refused call was not judged, and leaves no trace; a declined one is in the ledger and in inquiries.
 */
export type RulesOfLife = { refusals: Rules<FollowUpCase>; declines: Rules<FollowUpCase> };

/** Captures a hold, once. The issuer's view of another amount is a mode, because issuers differ. */
export const captureRules: RulesOfLife = {
  refusals: [
    [isOtherCurrency, "5184"],
    [when.isZero, "5005"],
    [isOverAccount, "5008"],
  ],
  declines: [
    [when.isUnknown, "10012"],
    [when.isVoided, "10012"],
    [when.isCapturedHold, "10203"],
    [when.isSale, "10012"],
    [refusesFollowUps, "10012"],
    [when.all(inMode("captureAmounts", "lower"), when.isOverHold()), "10231"],
    [when.all(inMode("captureAmounts", "equal"), when.isOtherThanHold), "10231"],
    [inMode("captures", "refused"), "10005"],
  ],
};

/** Cancels a whole payment on its business day, before any refund. */
export const cancelRules: RulesOfLife = {
  refusals: [],
  declines: [
    [when.isVoided, "10203"],
    [when.isUnknown, "10012"],
    [refusesFollowUps, "10012"],
    [when.isRefunded, "10012"],
    [when.isSettled, "10223"],
    [when.all(inMode("holdCancel", "refused"), when.isOpenHold), "10012"],
    [when.all(inMode("holdCancel", "same_day"), when.isOpenHold, when.isOfEndedDay), "10223"],
  ],
};

/** Refunds an item, or, without one, an amount of the payment. */
export const refundRules: RulesOfLife = {
  refusals: [
    [isOtherCurrency, "5184"],
    [when.isZero, "5005"],
  ],
  declines: [
    [when.isUnknown, "10012"],
    [when.isVoided, "10012"],
    [when.isOpenHold, "10012"],
    [refusesFollowUps, "10246"],
    [isTooLate, "10246"],
    [isOverLeft, "5008"],
    [when.all(inMode("sameDayRefunds", "refused"), when.not(when.isSettled)), "10223"],
  ],
};

/** The end of a 3-D Secure payment: the first version brings the return's data, the second repeats the start's. */
export type Completion = {
  payment: Payment;
  conversationId: string;
  conversationData?: string;
  start?: { amountMinor: bigint; basketId: string; currency: string };
};

const isOtherData = ({ payment: { threeDs }, conversationData }: Completion) =>
  threeDs !== undefined && conversationData !== undefined && conversationData !== threeDs.conversationData;
const isOtherStart = ({ payment: { line }, conversationId, start }: Completion) =>
  conversationId !== line.orderId ||
  (start !== undefined &&
    (start.amountMinor !== BigInt(line.amountMinor) ||
      start.basketId !== line.basketId ||
      start.currency !== line.currency));
const isNotAuthenticated = ({ payment: { threeDs } }: Completion) =>
  threeDs?.returnStatus !== "success" || threeDs.mdStatus !== "1";

/** The start's own rules were enforced at the start. A refused end leaves the payment as the authentication has left it. */
export const completionRefusals: readonly Rule<Completion, ErrorCode | "as_declined">[] = [
  [isOtherData, "11"],
  [({ payment }) => payment.threeDs === undefined, "5002"],
  [({ payment }) => payment.line.outcome === "approved", "10203"],
  [({ payment }) => payment.line.outcome === "declined", "as_declined"],
  [isOtherStart, "11"],
  [isNotAuthenticated, "10210"],
];
