import { DAY_MS, hasExpired, isLuhnValid, when, type Case, type Rule } from "../../core/index.ts";
import type { Merchant, Modes } from "./config.ts";
import type { Entry } from "./ledger-line.ts";
import type { MoneyRequest } from "./request.ts";

/** A call, and the facts by which the bank judges it. */
export type PosnetCase = Case<Entry> & {
  request: MoneyRequest;
  /** The mdStatus of a payment after 3-D Secure. */
  mdStatus: string | undefined;
  /** True if the capture that a void names was voided before. */
  isUndone: boolean;
  modes: Modes;
  options: Merchant["options"];
};

/** Rules, each with the code of its refusal. */
type Life = readonly Rule<PosnetCase, string>[];
const { all, not } = when;

const inMode =
  <Name extends keyof Modes>(name: Name, value: Modes[Name]) =>
  ({ modes }: PosnetCase) =>
    modes[name] === value;

const isOfCard = ({ options }: PosnetCase, pan: string) =>
  options.programmeBins.length === 0 || options.programmeBins.some((bin) => pan.startsWith(bin));
const cardOf = ({ request }: PosnetCase) => request.card ?? { pan: "", expiry: "", cvv: "" };
const hasInstallments = ({ request }: PosnetCase) => request.installments > 1;
/** An installment of less than a lira. */
const isTooSmall = ({ request }: PosnetCase) => request.amountMinor < 100n * BigInt(request.installments);
const isUntaken = ({ request, options }: PosnetCase) =>
  !options.currencies.some((currency) => currency === request.currency);
/** An approval uses up an order id, even if it was voided. */
const isUsedUp = when.hadPayment;
const isOther = ({ order, request }: PosnetCase) => {
  const [first] = when.approvedPayments(order);
  return first?.amountMinor !== request.amountMinor || first.currency !== request.currency;
};
const hasDeclined = ({ order }: PosnetCase) => (order?.rows.length ?? 0) > 0;
const isUnproven = ({ mdStatus }: PosnetCase) => mdStatus !== undefined && !/^[1-4]$/.test(mdStatus);

const payment: Life = [
  [all(isUsedUp, inMode("repeats", "exists")), "0125"],
  [all(isUsedUp, inMode("comparesAmounts", true), isOther), "0125"],
  [isUsedUp, "0127"],
  [all(inMode("declinedUsesOrderId", true), hasDeclined), "0125"],
  [all(inMode("checksAuthentication", true), isUnproven), "0217"],
  [isUntaken, "0057"],
  [all(hasInstallments, (of) => !isOfCard(of, cardOf(of).pan)), "0012"],
  [all(hasInstallments, ({ request }) => request.currency !== "TRY"), "0012"],
  [all(hasInstallments, ({ request, options }) => request.installments > options.installmentsMax), "0012"],
  [all(hasInstallments, isTooSmall), "0015"],
  [(of) => !isLuhnValid(cardOf(of).pan), "0014"],
  [(of) => hasExpired(cardOf(of).expiry, of.nowMs), "0054"],
];

const hasNoRow = ({ row }: PosnetCase) => row === undefined;
const isOver = (holds: (of: PosnetCase) => boolean): Life => [
  [all(inMode("overCode", "0005"), holds), "0005"],
  [holds, "0205"],
];

const capture: Life = [
  [hasNoRow, "0015"],
  [when.isSale, "0015"],
  [({ row }) => row?.kind === "refund", "0015"],
  [when.isUnknown, "0015"],
  [when.isVoided, "0217"],
  [when.isSettled, "0217"],
  [not(when.isOpenHold), "0219"],
  [when.isOtherCurrency, "0217"],
  [({ request, row }) => request.installments > (row?.line.installments ?? 1), "0206"],
  [all(inMode("holdsLapse", true), when.isOlderThan(8 * DAY_MS)), "0051"],
  ...isOver((of) => when.isOverHold(BigInt(of.modes.captureMaxPercent))(of)),
];

const refund: Life = [
  [hasNoRow, "0123"],
  [when.isUnknown, "0123"],
  [when.isVoided, "0217"],
  [when.isUncaptured, "0411"],
  [all(inMode("refundsSameDay", false), not(when.isSettled)), "0411"],
  [when.isOtherCurrency, "0217"],
  ...isOver(when.isOverNet),
];

const isClosed = (of: PosnetCase) =>
  when.isSettled(of) || (of.row?.kind === "refund" && when.isOfEndedDay(of));
const closedCodes = ["0122", "0123", "0217"] as const;

/** A captured authorization loses its capture and stays. A payment cannot be voided beside its refund. */
const reverse: Life = [
  [all(when.hasNoOrder, inMode("unknownReverse", "no_record")), "0122"],
  [all(hasNoRow, ({ isUndone }) => isUndone), "0220"],
  [hasNoRow, "0123"],
  [when.isVoided, "0220"],
  [all(({ request }) => request.reverses === "auth", not(when.isOpenHold)), "0788"],
  [all(({ row }) => row?.kind === "payment", when.isRefunded), "0218"],
  ...closedCodes.map((code) => [all<PosnetCase>(isClosed, inMode("closedCode", code)), code] as const),
  [all(isClosed, ({ request }) => request.reverses === "capt"), "0229"],
  [isClosed, "0211"],
  [all(when.isOpenHold, when.isOlderThan(7 * DAY_MS)), "0122"],
  [(of) => of.row?.kind === "refund" && !isOfCard(of, of.row.line.pan ?? ""), "0217"],
];

/** The rules of life of each operation, in the order in which the bank looks at a call. */
export const rulesOf: Record<Entry["operation"], Life> = {
  authorize: payment,
  sale: payment,
  capture,
  refund,
  void: reverse,
};
