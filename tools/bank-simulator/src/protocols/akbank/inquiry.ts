import { createHash } from "node:crypto";

import { decimalAmount, shownUntil, type ShownTimes, type Unkindness } from "../../core/index.ts";
import { resultOf } from "./answer.ts";
import type { Modes } from "./config.ts";
import { TXN_CODES, type Entry } from "./ledger-line.ts";
import { currencies } from "./request.ts";

/** The facts with which an order is shown. Times are epoch milliseconds. */
export type View = {
  /** All lines of the order, oldest first. */
  lines: readonly Entry[];
  modes: Modes & Unkindness;
  clock: ShownTimes;
  nowMs: number;
  /** An amount added to every shown amount, if a fault makes this answer wrong. */
  extraMinor: number;
};

/** `2026-01-31T09:05:07.123` on the bank's wall clock, without a zone. */
export function wallTime(clock: ShownTimes, atMs: number): string {
  const { date, time } = clock.wall(atMs);
  return `${date}T${time}`;
}

/** The rows of `1010`. A cancellation has no row: it changes the row of the movement that it voided. */
export function historyRows(view: View): object[] {
  const shown = view.lines.filter(({ at }) => Date.parse(at) <= shownUntil(view.nowMs, view.modes));
  const rows = shown
    .filter(({ listed, operation }) => listed && operation !== "void" && isRowed(operation, view))
    .map((line) => rowOf(line, shown, view));
  return view.modes.newestFirst ? rows.toReversed() : rows;
}

/** A refund may be the status of its payment alone. */
function isRowed(operation: Entry["operation"], { modes }: View): boolean {
  return operation !== "refund" || modes.refundShownBy !== "status";
}

function rowOf(line: Entry, lines: readonly Entry[], { clock, extraMinor, modes }: View): object {
  const { operation, transactionId, orderId, rowId, resultCode, currency } = line;
  const isVoided = ({ transactionId: name }: Entry) =>
    lines.some(
      (each) => each.operation === "void" && each.outcome === "approved" && each.transactionId === name,
    );
  const isRefunded =
    modes.refundShownBy !== "row" &&
    lines.some((each) => each.operation === "refund" && each.outcome === "approved" && !isVoided(each));
  const captured = lines.find(
    (each) =>
      each.operation === "capture" &&
      each.outcome === "approved" &&
      each.relatedTransactionId === transactionId &&
      !isVoided(each),
  );
  const amount = ({ amountMinor, shownExtraMinor = 0 }: Entry) =>
    Number(decimalAmount(amountMinor + shownExtraMinor + extraMinor, currency));
  const hold = captured
    ? {
        preAuthStatus: "C",
        preAuthCloseAmount: amount(captured),
        preAuthCloseDate: wallTime(clock, Date.parse(captured.at)),
      }
    : { preAuthStatus: "O" };
  return {
    ...resultOf(resultCode),
    txnCode: TXN_CODES[operation],
    txnDateTime: wallTime(clock, Date.parse(line.at)),
    txnStatus: isVoided(line) ? "V" : isRefunded && isOfMoney(line) ? "R" : "N",
    ...(operation === "authorize" && line.outcome === "approved" && hold),
    requestType: "R",
    requestStatus: "S",
    amount: amount(line),
    currencyCode: [...currencies].find(([, letters]) => letters === currency)?.[0],
    installCount: line.installments,
    authCode: line.authCode ?? "000000",
    rrn: line.hostReference,
    batchNumber: line.batch,
    stan: line.stan,
    settlementId: settlementOf(line),
    maskedCardNumber: line.pan ?? "",
    orderId: rowId,
    orgOrderId: orderId,
  };
}

/** A refund is of a sale or a capture. */
function isOfMoney({ operation, outcome }: Entry): boolean {
  return outcome === "approved" && (operation === "sale" || operation === "capture");
}

/** A UUID of the batch. */
function settlementOf({ terminalSafeId, batch }: Entry): string {
  const digest = createHash("sha256").update(`${terminalSafeId}/${batch}`).digest("hex");
  return digest.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
