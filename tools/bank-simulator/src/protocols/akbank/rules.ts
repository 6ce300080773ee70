import { hasExpired, isLuhnValid, when, type Case, type Rule } from "../../core/index.ts";
import type { Merchant, Modes } from "./config.ts";
import type { GateSession } from "./gate-form.ts";
import type { Entry } from "./ledger-line.ts";
import type { MoneyRequest, PaymentCard } from "./request.ts";

/** A call, and the facts by which the bank judges it. */
export type AkbankCase = Case<Entry> & {
  request: MoneyRequest;
  /** The 3-D Secure session of a payment, if the bank knows it. */
  session: GateSession | undefined;
  /** Any call has named the order before. */
  isOrderTouched: boolean;
  modes: Modes;
  options: Merchant["options"];
};

/** Each rule has the code of its refusal: two digits of the host, or a code of the gateway. */
type Life = readonly Rule<AkbankCase, string>[];
const { all, not } = when;

const inMode =
  (name: keyof Modes) =>
  ({ modes }: AkbankCase) =>
    modes[name] === true;

/** True if the second step names no form of 3-D Secure, or a form of another payment. */
function isOtherAuthentication({ request, session, modes }: AkbankCase): boolean {
  const { card, orderId, amountMinor, currency, installments, operation } = request;
  if (card?.kind !== "md") return false;
  if (!session?.authentication) return true;
  const { form, authentication } = session;
  const { mdStatus, cavv, eci, xid } = authentication;
  const isRefused = !(modes.halfSecure ? ["1", "2", "3", "4"] : ["1"]).includes(mdStatus);
  const isOtherProof = card.data !== cavv || card.eci !== eci || card.id !== xid;
  const isOtherSum =
    modes.bindsAmount &&
    (amountMinor !== form.amountMinor || currency !== form.currency || installments !== form.installments);
  return isRefused || isOtherProof || isOtherSum || orderId !== form.orderId || operation !== form.operation;
}

/** A condition on a card; the card of a 3-D Secure form was checked with the form. */
function ofCard(holds: (card: PaymentCard & { kind: "pan" }, of: AkbankCase) => boolean) {
  return (of: AkbankCase) => of.request.card?.kind === "pan" && holds(of.request.card, of);
}

const panOf = ({ request: { card }, session }: AkbankCase) =>
  card?.kind === "pan" ? card.pan : (session?.form.pan ?? "");
const hasInstallments = ({ request }: AkbankCase) => request.installments > 1;
const isOfAnotherBank = (of: AkbankCase) => {
  const { programmeBins } = of.options;
  return programmeBins.length > 0 && !programmeBins.some((bin) => panOf(of).startsWith(bin));
};
const isTooMany = ({ request, options }: AkbankCase) => request.installments > options.installmentsMax;
/** An installment of less than a lira. */
const isTooSmall = ({ request }: AkbankCase) => request.amountMinor < 100n * BigInt(request.installments);
const isUntaken = ({ request, options }: AkbankCase) =>
  !options.currencies.some((currency) => currency === request.currency);
/** An order allows one attempt, whatever its outcome. */
const isUsedUp = ({ order, isOrderTouched, modes }: AkbankCase) =>
  (order?.rows.length ?? 0) > 0 || (modes.gatewayRefusalsUseOrder && isOrderTouched);

const payment: Life = [
  [({ amountMinor }) => amountMinor === 0n, "VPS-1998"],
  [isUsedUp, "VPS-1013"],
  [isOtherAuthentication, "VPS-1279"],
  [isUntaken, "57"],
  [all(hasInstallments, isOfAnotherBank), "VPS-1044"],
  [all(hasInstallments, ({ request }) => request.currency !== "TRY"), "83"],
  [all(hasInstallments, isTooMany), "83"],
  [all(hasInstallments, isTooSmall), "83"],
  [ofCard(({ pan }) => !isLuhnValid(pan)), "14"],
  [ofCard(({ expiry }, { nowMs }) => hasExpired(expiry, nowMs)), "54"],
];

const capture: Life = [
  [({ amountMinor }) => amountMinor === 0n, "VPS-1998"],
  [when.hasNoPayment, "VPS-1007"],
  [when.hasOnlySales, "VPS-1007"],
  [not(when.isOpenHold), "VPS-1008"],
  [when.isOtherCurrency, "57"],
  [when.isOverHold(), "13"],
];

const refund: Life = [
  [({ amountMinor }) => amountMinor === 0n, "VPS-1998"],
  [when.hasNoPayment, "VPS-1007"],
  [when.isVoided, "VPS-1008"],
  [when.isUncaptured, "VPS-1007"],
  [when.isOtherCurrency, "57"],
  [when.isOverNet, "13"],
];

/** The code of "too late" is not known, so that it is one of no list. */
const TOO_LATE = "VPS-1997";

/**
 * The void of a capture makes its authorization open again. A payment cannot be cancelled beside its refund;
 * in a mode the refund is cancelled, as the order's last movement.
 */
const cancel: Life = [
  [when.hasNoPayment, "VPS-1007"],
  [when.isVoided, "VPS-1008"],
  [when.isSettled, TOO_LATE],
  [all(when.isOpenHold, when.isOfEndedDay, not(inMode("voidHoldsAfterDay"))), TOO_LATE],
  [all(when.isRefunded, ({ row }) => row?.kind === "payment"), "VPS-1008"],
];

/** The rules of life of each operation, in the order in which the bank looks at a call. */
export const rulesOf: Record<Entry["operation"], Life> = {
  authorize: payment,
  sale: payment,
  capture,
  refund,
  void: cancel,
};
