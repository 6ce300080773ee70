import { createHash } from "node:crypto";

import {
  judgeCall,
  maskCardNumber,
  movementLine,
  verdictOf,
  when,
  type Authentication,
} from "../../core/index.ts";
import type { BehaviourName } from "./behaviours.ts";
import type { Merchant } from "./config.ts";
import type { Desk } from "./desk.ts";
import { hostLogKeyOf, orderName, type BankOrder, type BankRow, type Entry } from "./ledger-line.ts";
import type { MoneyRequest, ReversedKind } from "./request.ts";
import { rulesOf, type PosnetCase } from "./rules.ts";

/** A call about money. */
export type Call = {
  merchant: Merchant;
  request: MoneyRequest;
  /** The result of 3-D Secure. */
  authentication?: Authentication | undefined;
  behaviour: BehaviourName;
  /** The code with which the issuer declines the call. */
  issuerCode?: string | undefined;
};

type Judged = { of: PosnetCase; verdict: string | undefined };

/**
 * Judges a call by the bank's records, and resolves with its line when that is on the disk. `first` is the payment that
 * has used the order up.
 */
export async function judge(desk: Desk, call: Call) {
  const judgedAt = (nowMs: number): Judged => {
    const of = caseOf(desk, call, nowMs);
    // The issuer is asked only if the gateway's own rules allow an operation.
    const declined = call.issuerCode === undefined ? undefined : `00${call.issuerCode}`;
    return { of, verdict: verdictOf(rulesOf[of.request.operation], of) ?? declined };
  };
  const lineAt = (judged: Judged, sequence: number) => lineOf(desk, call, judged, sequence);
  const { line, judged } = await judgeCall(desk, call.behaviour, { judgedAt, lineOf: lineAt });
  const first = line.resultCode === "0127" ? when.approvedPayments(judged.of.order)[0]?.line : undefined;
  return { line, first, isOfNothing: judged.of.order === undefined };
}

/** A refund that the bank's staff makes in its panel. @returns true if the rules allowed it */
export async function refundInPanel(desk: Desk, order: BankOrder, amountMinor: bigint): Promise<boolean> {
  const merchant = desk.merchantOf(order.merchant);
  const [row] = when.approvedPayments(order);
  if (!merchant || !row) return false;
  const { orderId, orderDate } = row.line;
  const names = { orderId, orderDate, hostLogKey: "", reverses: undefined, card: undefined };
  const money = { amountMinor, currency: row.currency, installments: 1 };
  const request = { operation: "refund" as const, ...names, ...money };
  const { line } = await judge(desk, { merchant, request, behaviour: "plain" });
  return line.outcome === "approved";
}

function caseOf({ bank: { book }, modes, linesOf }: Desk, call: Call, nowMs: number): PosnetCase {
  const { merchant, request, authentication } = call;
  const { hostLogKey: id, reverses } = request;
  const named = id === "" ? undefined : book.named(merchant.tid, id);
  const order = id === "" ? book.order(merchant.tid, orderName(request)) : named?.order;
  const undone = (order ? linesOf(merchant.tid, order.id) : []).filter(({ voided }) => voided === "capture");
  return {
    order,
    row: request.card ? undefined : rowOf(request, order, named?.row),
    id,
    amountMinor: request.amountMinor,
    currency: request.currency,
    day: book.day,
    nowMs,
    request,
    mdStatus: authentication?.mdStatus,
    isUndone: reverses === "capt" && undone.some(({ transactionId }) => id === "" || transactionId === id),
    modes,
    options: merchant.options,
  };
}

/** The movement that a follow-up names, by its hostlogkey or by its order and kind. */
function rowOf(
  { operation, hostLogKey, reverses }: MoneyRequest,
  order: BankOrder | undefined,
  named: BankRow | undefined,
): BankRow | undefined {
  if (operation === "capture") return named;
  const rows = named ? [named] : hostLogKey === "" ? (order?.rows ?? []) : [];
  const nameOf = NAMES[reverses ?? "money"];
  const meant = rows.filter((row) => {
    const name = row.status === "declined" ? undefined : nameOf(row);
    return name !== undefined && (hostLogKey === "" || name === hostLogKey);
  });
  return meant.findLast((row) => when.isStanding(row)) ?? meant.at(-1);
}

const nameIf = (holds: boolean, name: string | undefined) => (holds ? name : undefined);

/** The name of a row as a movement of a kind, if it is one. The money of a captured hold has its capture's name. */
const NAMES: Record<ReversedKind | "money", (row: BankRow) => string | undefined> = {
  sale: ({ kind, isHold, id }) => nameIf(kind === "payment" && !isHold, id),
  auth: ({ kind, isHold, id }) => nameIf(kind === "payment" && isHold, id),
  capt: ({ captureId }) => captureId,
  return: ({ kind, id }) => nameIf(kind === "refund", id),
  money: ({ kind, captureId, id }) => nameIf(kind === "payment", captureId ?? id),
};

function lineOf({ modes }: Desk, call: Call, judged: Judged, sequence: number): Entry {
  const { of, verdict } = judged;
  const { row, request, order } = of;
  const { operation, card } = request;
  const { mid, tid } = call.merchant;
  const isApproved = verdict === undefined;
  const sharesName = operation === "capture" && modes.captureName === "hold" && row !== undefined;
  const id = sharesName ? row.id : hostLogKeyOf(sequence);
  const known = row?.line ?? order?.rows[0]?.line;
  const pan = card ? maskCardNumber(card.pan) : (known?.pan ?? null);
  return {
    ...movementLine(of, { id, isApproved, behaviour: call.behaviour, returnsHold: !modes.voidLiftsHold }),
    mid,
    tid,
    orderId: known?.orderId ?? request.orderId,
    orderDate: known?.orderDate ?? request.orderDate,
    authCode: isApproved ? authCodeOf(of, sequence) : null,
    hostReference: isApproved ? id : null,
    currency: request.currency ?? row?.currency ?? "TRY",
    resultCode: verdict ?? "00",
    pan,
    installments: request.installments,
    authentication: call.authentication ?? null,
    listed: isApproved || (card !== undefined && modes.listsDeclines && HOSTS.test(verdict)),
  };
}

/** The refusals of the host and the issuer, which inquiries show. */
const HOSTS = /^00(?:05|1[24]|51|54|82)$/;

/** A capture has the code of its hold. */
function authCodeOf({ request, row, nowMs }: PosnetCase, sequence: number): string {
  if (request.operation === "void") return "000000";
  if (request.operation === "capture" && row?.line.authCode) return row.line.authCode;
  const digest = createHash("sha256").update(`${sequence}/${nowMs}`).digest();
  return String(digest.readUInt32BE(0) % 1_000_000).padStart(6, "0");
}
