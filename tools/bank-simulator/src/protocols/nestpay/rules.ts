import {
  DECLINED_CVV,
  DAY_MS,
  hasExpired,
  isLuhnValid,
  verdictOf,
  when,
  type Case,
  type Rule,
} from "../../core/index.ts";
import type { MoneyRequest, PaymentCard } from "./cc5-request.ts";
import type { GateSession } from "./gate-sessions.ts";
import type { BankOrder, BankRow, Entry } from "./ledger-line.ts";
import type { Merchant } from "./merchants.ts";
import type { Rules } from "./modes.ts";
import { LIRA } from "./money.ts";
import type { IssuerCode, RefusalCode, Verdict } from "./refusals.ts";

/** A call, and the facts by which the bank judges it. */
export type NestpayCase = Case<Entry> & {
  request: MoneyRequest;
  /** The 3-D Secure session of a payment's `md`, if the bank knows it. */
  session: GateSession | undefined;
  isXidUsed: boolean;
  rules: Rules;
  options: Merchant["options"];
  /** The time that the bank takes to reverse a call that its host did not answer. */
  reversalMs: number;
};

type Life<Code = RefusalCode> = readonly Rule<NestpayCase, Code>[];
const { all, not } = when;

/** True if the bank continues after this authentication. */
export function acceptsMdStatus(mdStatus: string, { halfSecure }: Pick<Rules, "halfSecure">): boolean {
  return mdStatus === "1" || (halfSecure && ["2", "3", "4"].includes(mdStatus));
}

/** True while the bank still has to reverse a call that its host did not answer. */
export function isReversing({ line, atMs }: BankRow, nowMs: number, reversalMs: number): boolean {
  return line.resultCode === "92" && nowMs < atMs + reversalMs;
}

function isReversingOrder({ order, nowMs, reversalMs }: NestpayCase): boolean {
  return order?.rows.some((row) => isReversing(row, nowMs, reversalMs)) ?? false;
}

function isNotAccepted({ session, rules }: NestpayCase): boolean {
  return !session?.authentication || !acceptsMdStatus(session.authentication.mdStatus, rules);
}

function isOtherAuthentication({ request: { card }, session }: NestpayCase): boolean {
  const { xid, eci, cavv } = session?.authentication ?? {};
  return card?.kind === "md" && (card.xid !== xid || card.eci !== eci || card.cavv !== cavv);
}

function isOtherForm({ request, session }: NestpayCase): boolean {
  const names = ["operation", "orderId", "amountMinor", "currency"] as const;
  return names.some((name) => request[name] !== session?.form[name]);
}

/** The rules by which a payment may use the `md` that it names. */
export const secondStep: Life = [
  [({ isXidUsed }) => isXidUsed, 2127],
  [({ session }) => session === undefined, 2012],
  [isNotAccepted, 2206],
  [isOtherAuthentication, 2121],
  [({ request, session }) => request.installments !== session?.form.installments, 2601],
  [isOtherForm, 2121],
];

const hasInstallments = ({ request }: NestpayCase) => request.installments > 1;
const isForeign = ({ request }: NestpayCase) => request.currency !== LIRA;
const isUntaken = ({ request, options }: NestpayCase) => !options.currencies.includes(request.currency ?? "");

/** A condition of a card; the card of an `md` has been checked with its form. */
function ofCard(holds: (card: PaymentCard & { kind: "pan" }, of: NestpayCase) => boolean) {
  return (of: NestpayCase) => of.request.card?.kind === "pan" && holds(of.request.card, of);
}

const payment: Life<RefusalCode | IssuerCode> = [
  [isReversingOrder, 2016],
  [when.hasPayment, 2507],
  [all(when.hadPayment, ({ rules }) => !rules.voidedFreesOrderId), 2302],
  [when.isNegative, 1024],
  [when.isZero, 2009],
  [isUntaken, 1010],
  [({ request, rules }) => request.namesOne && rules.installmentOneRefused, 2603],
  [all(hasInstallments, isForeign), 2124],
  [all(hasInstallments, ({ options }) => options.installmentsMax === 0), 2204],
  [all(hasInstallments, ({ request, options }) => request.installments > options.installmentsMax), 2603],
  [ofCard(({ pan }) => !/^\d{13,19}$/.test(pan) || !isLuhnValid(pan)), 2012],
  [ofCard(({ expiry }, { nowMs }) => hasExpired(expiry, nowMs)), 2010],
  [ofCard(({ cvv }, { options }) => cvv === "" && options.cvvRequired), 2208],
  [ofCard(({ cvv }) => !/^(?:\d{3,4})?$/.test(cvv)), 2515],
  [ofCard(({ cvv }) => cvv === DECLINED_CVV), "82"],
];

const hasNoRow = ({ row }: NestpayCase) => row === undefined;

/** PREAMT, the hold's amount, is sent by those who may exceed it. */
const hasRight = ({ request, row, rules }: NestpayCase) =>
  rules.captureOverHold && request.holdMinor === row?.amountMinor;

const isOverRight = not<NestpayCase>(all(hasRight, not(when.isOverHold(115n))));

/** The row is the order's open hold. */
const capture: Life = [
  [all(hasNoRow, when.hasOnlySales), 2115],
  [hasNoRow, 2509],
  [when.isOtherCurrency, 2119],
  [when.isNegative, 1024],
  [when.isZero, 2009],
  [when.isOlderThan(15 * DAY_MS), 2513],
  [all(when.isOverHold(), ({ request }) => request.holdMinor === undefined), 2505],
  [all(when.isOverHold(), isOverRight), 2512],
];

/** The row is the order's first payment. */
const refund: Life = [
  [when.isNegative, 1024],
  [when.isZero, 2009],
  [when.hasNoOrder, 2123],
  [when.hasNoPayment, 2116],
  [when.isOtherCurrency, 2119],
  [when.hasOpenHold, 2117],
  [all(when.hasOpenDay, ({ rules }) => !rules.sameDayCredit), 2508],
  [when.isNetZero, 2504],
  [when.isOverNet, 2503],
];

const voidOfRow: Life = [
  [when.isUnknown, 2008],
  [when.isVoided, 2008],
  [when.isSettled, 2511],
  [all(when.isOpenHold, when.isOfEndedDay, ({ rules }) => !rules.voidHoldsAfterDay), 2008],
];

/** A captured hold lives on under its PostAuth's TransId. */
function isNamedOtherwise({ row, id, rules }: NestpayCase): boolean {
  if (row?.captureId === undefined) return id !== row?.id;
  return id !== row.captureId && rules.transIdAfterCapture !== "hold";
}

/** A sale cannot be voided after a refund that is still valid: the buyer would get the money twice. */
const voidByTransId: Life = [
  [isNamedOtherwise, 2008],
  ...voidOfRow,
  [all(({ row }) => row?.kind === "payment", when.isRefunded), 2008],
];

/** Judges a call by the rules of its operation. A void by OrderId is of the only voidable movement, which `row` is then. */
export function judgeByRules(of: NestpayCase): { verdict: Verdict; row: BankRow | undefined } {
  const { request, order, row } = of;
  switch (request.operation) {
    case "authorize":
    case "sale":
      return { verdict: verdictOf(payment, of), row };
    case "capture":
      return { verdict: verdictOf(capture, of), row };
    case "refund":
      return { verdict: verdictOf(refund, of), row };
    case "void":
      return request.transactionId === ""
        ? judgeVoidOfOrder(of, order)
        : { verdict: verdictOf(voidByTransId, of), row };
    default:
      return request.operation satisfies never;
  }
}

function judgeVoidOfOrder(of: NestpayCase, order: BankOrder | undefined) {
  const judged = (order?.rows ?? []).map((row) => ({ row, verdict: verdictOf(voidOfRow, { ...of, row }) }));
  const [voidable, another] = judged.filter(({ verdict }) => verdict === undefined);
  if (voidable && !another) return voidable;
  const isSettled = judged.some(({ verdict }) => verdict === 2511);
  return { verdict: another ? 2133 : isSettled ? 2511 : 2008, row: undefined } as const;
}
