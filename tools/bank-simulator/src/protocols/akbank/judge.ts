import { createHash, randomUUID } from "node:crypto";

import {
  judgeCall,
  maskCardNumber,
  movementLine,
  namingTime,
  verdictOf,
  when,
  DAY_MS,
} from "../../core/index.ts";
import { isOfHost } from "./answer.ts";
import type { BehaviourName } from "./behaviours.ts";
import type { Merchant } from "./config.ts";
import type { Desk } from "./desk.ts";
import type { GateSession } from "./gate-form.ts";
import type { BankOrder, Entry } from "./ledger-line.ts";
import type { MoneyRequest } from "./request.ts";
import { rulesOf, type AkbankCase } from "./rules.ts";

/** A call about money. */
export type Call = {
  merchant: Merchant;
  request: MoneyRequest;
  /** The 3-D Secure session of a payment's `secureMd`. */
  session: GateSession | undefined;
  behaviour: BehaviourName;
  /** The code with which the issuer declines the call. */
  issuerCode?: string | undefined;
};

type Judged = { of: AkbankCase; verdict: string | undefined };

/** Judges a call by the bank's records, and resolves with its line when that is on the disk. */
export async function judge(desk: Desk, call: Call): Promise<Entry> {
  const judgedAt = (nowMs: number): Judged => {
    const of = caseOf(desk, call, nowMs);
    // The issuer is asked only if the gateway's own rules allow an operation.
    return { of, verdict: verdictOf(rulesOf[of.request.operation], of) ?? call.issuerCode };
  };
  const lineAt = (judged: Judged, sequence: number) => lineOf(desk, call, judged, sequence);
  return (await judgeCall(desk, call.behaviour, { judgedAt, lineOf: lineAt })).line;
}

/** A refund that somebody makes in the bank's panel. @returns whether the rules of life allowed it */
export async function refundInPanel(desk: Desk, order: BankOrder, amountMinor: bigint): Promise<boolean> {
  const merchant = desk.merchantOf(order.merchant);
  if (!merchant) return false;
  const names = { orderId: order.id, currency: order.rows[0]?.currency, installments: 1, card: undefined };
  const request = { operation: "refund" as const, ...names, amountMinor };
  const call = { merchant, request, session: undefined, behaviour: "plain" as const };
  return (await judge(desk, call)).outcome === "approved";
}

/** A follow-up names the order alone, which has one payment at most. A cancellation may be about its last refund. */
function caseOf({ bank, modes, linesOf }: Desk, call: Call, nowMs: number): AkbankCase {
  const { merchant, request, session } = call;
  const order = bank.book.order(merchant.terminalSafeId, request.orderId);
  const undoesRefund = request.operation === "void" && modes.cancelBesideRefund === "undoes_refund";
  const lastRefund = undoesRefund ? order?.rows.findLast(isStandingRefund) : undefined;
  return {
    order,
    row: request.card ? undefined : (lastRefund ?? when.approvedPayments(order)[0]),
    id: "",
    amountMinor: request.amountMinor,
    currency: request.currency,
    day: bank.book.day,
    nowMs,
    request,
    session,
    isOrderTouched: linesOf(merchant.terminalSafeId, request.orderId).length > 0,
    modes,
    options: merchant.options,
  };
}

function isStandingRefund(row: BankOrder["rows"][number]): boolean {
  return row.kind === "refund" && when.isStanding(row);
}

function lineOf({ modes, bank: { book } }: Desk, call: Call, judged: Judged, sequence: number): Entry {
  const { of, verdict } = judged;
  const { row, request, order } = of;
  const { operation, card } = request;
  const isApproved = verdict === undefined;
  const isHosts = verdict === undefined || isOfHost(verdict);
  const own = numbersOf(sequence, of.nowMs);
  // A capture has the numbers of its hold.
  const { rrn, authCode } = operation === "capture" && row ? numbersOfLine(row.line, own) : own;
  const stan = isHosts ? own.stan : 0;
  const id = `${rrn}:${book.day}:${stan}`;
  const { behaviour } = call;
  return {
    ...movementLine(of, { id, isApproved, behaviour, returnsHold: true }),
    terminalSafeId: call.merchant.terminalSafeId,
    orderId: request.orderId,
    rowId: operation === "capture" || operation === "refund" ? randomUUID() : request.orderId,
    authCode: isApproved ? authCode : null,
    hostReference: isHosts ? rrn : null,
    currency: request.currency ?? row?.currency ?? "TRY",
    resultCode: verdict ?? "00",
    pan: panOf(of),
    installments: card ? request.installments : (row?.line.installments ?? 1),
    authentication: (card?.kind === "md" && verdict !== "VPS-1279" && of.session?.authentication) || null,
    listed: isApproved || (isHosts && (card !== undefined || order !== undefined) && modes.listsDeclines),
    batch: book.day,
    stan,
  };
}

function panOf({ request: { card }, session, order }: AkbankCase): string | null {
  if (!card) return when.approvedPayments(order)[0]?.line.pan ?? null;
  const pan = card.kind === "pan" ? card.pan : session?.form.pan;
  return pan === undefined ? null : maskCardNumber(pan);
}

function numbersOfLine({ hostReference, authCode }: Entry, own: { rrn: string; authCode: string }) {
  return { rrn: hostReference ?? own.rrn, authCode: authCode ?? own.authCode };
}

/** The names of the ledger's `sequence`-th line. The date in an rrn is the next day's. */
function numbersOf(sequence: number, atMs: number): { rrn: string; authCode: string; stan: number } {
  const digest = createHash("sha256").update(`${sequence}/${atMs}`).digest();
  return {
    rrn: `${namingTime(atMs + DAY_MS).day.slice(1)}${String(sequence % 100_000_000).padStart(8, "0")}`,
    authCode: String(digest.readUInt32BE(0) % 1_000_000).padStart(6, "0"),
    stan: sequence,
  };
}
