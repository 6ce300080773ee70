import { DAY_MS, hasExpired, isLuhnValid, when, type Case, type Rule } from "../../core/index.ts";
import type { Merchant, Modes } from "./config.ts";
import type { GateSession } from "./gate-form.ts";
import type { MoneyRequest, PaymentCard } from "./gvps-request.ts";
import type { Entry } from "./ledger-line.ts";

/** A call, and the facts by which the bank judges it. */
export type GarantiCase = Case<Entry> & {
  request: MoneyRequest;
  /** The 3-D Secure session of a payment's `Md`, if the bank knows it. */
  session: GateSession | undefined;
  modes: Modes;
  options: Merchant["options"];
};

/** Rules, each with the code of its refusal: two digits of the host, or four of the gateway. */
type Life = readonly Rule<GarantiCase, string>[];
const { all, not } = when;

const inMode =
  (name: keyof Modes) =>
  ({ modes }: GarantiCase) =>
    modes[name] === true;

/** The bank continues after an authentication, and after an attempt at one. */
function isAuthenticated({ session, modes }: GarantiCase): boolean {
  const accepted = modes.halfSecure ? ["1", "2", "3", "4"] : ["1"];
  return accepted.includes(session?.authentication?.mdStatus ?? "");
}

/** The `Md` binds the amount and the order; the type, the currency and the installments are not compared. */
function isOtherAuthentication({ request, session }: GarantiCase): boolean {
  const { card, orderId, amountMinor } = request;
  const { cavv, eci, xid } = session?.authentication ?? {};
  if (card?.kind !== "md" || !session) return true;
  const isOtherForm = orderId !== session.form.orderId || amountMinor !== session.form.amountMinor;
  return isOtherForm || card.cavv !== cavv || card.eci !== eci || card.xid !== xid;
}

/** The rules by which a payment may use the `Md` that it names. */
export const secondStep: Life = [
  [not(isAuthenticated), "0804"],
  [isOtherAuthentication, "0804"],
];

/** A condition of a card; the card of an `Md` has been checked with its form. */
function ofCard(holds: (card: PaymentCard & { kind: "pan" }, of: GarantiCase) => boolean) {
  return (of: GarantiCase) => of.request.card?.kind === "pan" && holds(of.request.card, of);
}

const panOf = ({ request: { card }, session }: GarantiCase) =>
  card?.kind === "pan" ? card.pan : (session?.form.pan ?? "");
const hasInstallments = ({ request }: GarantiCase) => request.installments > 1;
const isOutsideProgramme = (of: GarantiCase) => {
  const { programmeBins } = of.options;
  return programmeBins.length > 0 && !programmeBins.some((bin) => panOf(of).startsWith(bin));
};
const isForeign = ({ request }: GarantiCase) => request.currency !== "TRY";
const isUntaken = ({ request, options }: GarantiCase) =>
  !options.currencies.some((currency) => currency === request.currency);
const hadHold = ({ order }: GarantiCase) => when.approvedPayments(order).some(({ isHold }) => isHold);
const hasDeclined = ({ order }: GarantiCase) => (order?.rows.length ?? 0) > 0;
const isUsedUp = (of: GarantiCase) =>
  when.hadPayment(of) && (when.hasPayment(of) || !inMode("voidedFreesOrderId")(of));

const payment: Life = [
  [all(isUsedUp, hadHold), "0111"],
  [isUsedUp, "0104"],
  [all(inMode("declinedUsesOrderId"), hasDeclined), "0111"],
  [isUntaken, "0759"],
  [all(hasInstallments, isForeign), "0122"],
  [all(hasInstallments, ({ request, options }) => request.installments > options.installmentsMax), "0122"],
  [all(hasInstallments, isOutsideProgramme), "0122"],
  [all(inMode("sharedTerminal"), ({ request }) => request.operation === "authorize"), "14"],
  [ofCard(({ pan }) => !isLuhnValid(pan)), "14"],
  [ofCard(({ expiry }, { nowMs }) => hasExpired(expiry, nowMs)), "54"],
];

const hasNoRow = ({ row }: GarantiCase) => row === undefined;
const isRefund = ({ row }: GarantiCase) => row?.kind === "refund";

/** A captured hold lives on under its capture's number. A follow-up may name its order alone. */
function isNamedOtherwise({ row, id }: GarantiCase): boolean {
  return id !== "" && id !== (row?.captureId ?? row?.id);
}

const isOverMargin = (of: GarantiCase) => when.isOverHold(BigInt(of.modes.captureMaxPercent))(of);

const capture: Life = [
  [when.hasNoPayment, "0102"],
  [when.hasOnlySales, "0102"],
  [hasNoRow, "0209"],
  [isRefund, "0209"],
  [when.isVoided, "0205"],
  [not(when.isOpenHold), "0204"],
  [isNamedOtherwise, "0209"],
  [when.isOtherCurrency, "0759"],
  [({ request, row }) => request.installments !== row?.line.installments, "0122"],
  [all(inMode("holdsLapse"), when.isOlderThan(7 * DAY_MS)), "51"],
  [isOverMargin, "13"],
];

const refund: Life = [
  [when.hasNoPayment, "0103"],
  [hasNoRow, "0208"],
  [isRefund, "0208"],
  [when.isVoided, "0203"],
  [when.isUncaptured, "0203"],
  [isNamedOtherwise, "0208"],
  [when.isOtherCurrency, "0759"],
  [when.isOverNet, "0214"],
];

/** The conditions under which a movement is no more to be voided. */
const voidable: Life = [
  [when.isUnknown, "0201"],
  [when.isVoided, "0201"],
  [when.isSettled, "0201"],
  [all(when.isOpenHold, when.isOfEndedDay, not(inMode("voidHoldsAfterDay"))), "0201"],
];

export const isVoidable = (of: GarantiCase) => !voidable.some(([holds]) => holds(of));

/** A sale cannot be voided while its refund stands: the buyer would get the money twice. */
const voiding: Life = [
  [when.hasNoPayment, "0101"],
  [({ row, id, order }) => row === undefined && id === "" && order !== undefined, "0201"],
  [hasNoRow, "0210"],
  ...voidable,
  [isNamedOtherwise, "0210"],
  [all(({ row }) => row?.kind === "payment", when.isRefunded), "0207"],
];

/** The rules of life of each operation, in the order in which the bank looks at a call. */
export const rulesOf: Record<Entry["operation"], Life> = {
  authorize: payment,
  sale: payment,
  capture,
  refund,
  void: voiding,
};
