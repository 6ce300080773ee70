import {
  decimalAmount,
  inquiryTime,
  shownUntil,
  type ShownTimes,
  type Unkindness,
  type XmlValues,
} from "../../core/index.ts";
import type { Modes } from "./config.ts";
import type { Entry } from "./ledger-line.ts";
import { currencies } from "./request.ts";

/** The facts with which an order is shown. Times are epoch milliseconds. */
export type View = {
  /** All lines of the order, oldest first. */
  lines: readonly Entry[];
  modes: Modes & Unkindness;
  clock: ShownTimes;
  nowMs: number;
  /** A fault that makes this answer wrong. */
  behaviour: string;
};

/** The block of `agreement`; undefined for an order that the bank does not know. */
export function transactionsOf(view: View): XmlValues | undefined {
  const { modes, lines, nowMs } = view;
  const shown = lines.filter(({ at }) => Date.parse(at) <= shownUntil(nowMs, modes));
  const rows = shown
    .filter(({ listed, operation }) => listed && (operation !== "void" || modes.voidsShown !== "status"))
    .map((line) => rowOf(line, shown, view));
  const [only, another] = rows;
  if (!only) return undefined;
  const ordered = modes.newestFirst ? rows.toReversed() : rows;
  if (modes.rows === "split") return { transactions: ordered.map((transaction) => ({ transaction })) };
  if (modes.rows === "flat" && !another) return { transactions: only };
  return { transactions: { transaction: ordered } };
}

/** The state of a movement; a void's state is derived from the kind of the voided movement. */
const STATES = {
  sale: "Sale",
  authorize: "Authorization",
  hold: "Authorization",
  capture: "Capture",
  refund: "Return",
  credit: "Return",
  void: "",
};

function rowOf(line: Entry, lines: readonly Entry[], view: View): XmlValues {
  const { modes, clock, behaviour } = view;
  const { operation, orderId, transactionId, hostReference, pan } = line;
  const isVoid = operation === "void";
  const extraMinor = (line.shownExtraMinor ?? 0) + (behaviour === "wrong_amount" ? 1 : 0);
  const order = behaviour === "other_order" ? `${orderId.slice(0, -1)}_` : orderId;
  const own = isVoid && modes.reverseName === "own" ? hostReference : transactionId;
  return {
    orderID: modes.leadingZeros === "hidden" ? order.replace(/^0+/, "") : order,
    ccno: (pan ?? "").replaceAll(/(.{4})(?=.)/g, "$1 "),
    amount: amountText(line.amountMinor + extraMinor, modes),
    currencyCode: [...currencies].find(([, letters]) => letters === line.currency)?.[0] ?? "",
    authCode: line.authCode ?? "",
    tranDate: inquiryTime(clock, Date.parse(line.at)),
    state: isVoid ? `${STATES[line.voided ?? "sale"]}_Reverse` : STATES[operation],
    txnStatus: counts(line, lines, modes) ? "1" : "0",
    [modes.hostLogKeyCase ? "hostLogKey" : "hostlogkey"]: own ?? "",
  };
}

/**
 * True if the movement neither failed nor was voided. A capture under its authorization's name is
 * distinguished by the kind of the void.
 */
function counts(line: Entry, lines: readonly Entry[], { voidsShown, capturedHoldCounts }: Modes): boolean {
  const { operation, transactionId, outcome } = line;
  if (outcome !== "approved") return false;
  const later = lines.slice(lines.indexOf(line) + 1).filter((each) => each.outcome === "approved");
  const isUndone = later.some(
    ({ voided, ...each }) =>
      voided !== null && each.transactionId === transactionId && STATES[voided] === STATES[operation],
  );
  const isCaptured = later.some(
    (each) =>
      operation === "authorize" &&
      each.operation === "capture" &&
      each.relatedTransactionId === transactionId,
  );
  return !(isUndone && voidsShown !== "row") && (capturedHoldCounts || !isCaptured);
}

/** Major units with a decimal comma, as the document has them, or as a mode. */
function amountText(minor: number, { amounts }: Modes): string {
  const comma = decimalAmount(minor, "TRY", ",");
  const grouped = comma.replaceAll(/\B(?=(?:\d{3})+,)/g, ".");
  return { comma, grouped, point: decimalAmount(minor, "TRY"), minor: String(minor) }[amounts];
}
