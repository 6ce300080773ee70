import { createHash, randomBytes } from "node:crypto";

import { judgeCall, maskCardNumber, movementLine, namingTime, verdictOf, when } from "../../core/index.ts";
import type { BehaviourName } from "./behaviours.ts";
import type { Merchant } from "./config.ts";
import type { Desk } from "./desk.ts";
import type { GateSession } from "./gate-form.ts";
import { isOfHost } from "./gvps-answer.ts";
import type { MoneyRequest } from "./gvps-request.ts";
import type { BankOrder, BankRow, Entry } from "./ledger-line.ts";
import { isVoidable, rulesOf, secondStep, type GarantiCase } from "./rules.ts";

/** A call about money. */
export type Call = {
  merchant: Merchant;
  request: MoneyRequest;
  /** The 3-D Secure session of a payment's `Md`. */
  session: GateSession | undefined;
  behaviour: BehaviourName;
  /** The code with which the issuer declines the call. */
  issuerCode?: string | undefined;
};

/** Judges a call by the bank's records, and resolves with its line when that is on the disk. */
export async function judge(desk: Desk, call: Call): Promise<Entry> {
  const judgedAt = (nowMs: number): Judged => {
    const { of, isAmbiguous } = caseOf(desk, call, nowMs);
    const fault = of.request.card?.kind === "md" ? verdictOf(secondStep, of) : undefined;
    const ruled = fault ?? (isAmbiguous ? "0202" : verdictOf(rulesOf[of.request.operation], of));
    // The issuer is asked only if the gateway's own rules allow an operation.
    return { of, verdict: ruled ?? call.issuerCode };
  };
  const lineAt = (judged: Judged, sequence: number) => lineOf(desk, call, judged, sequence);
  return (await judgeCall(desk, call.behaviour, { judgedAt, lineOf: lineAt })).line;
}

/** A refund that somebody makes in the bank's panel. @returns whether the rules of life allowed it */
export async function refundInPanel(desk: Desk, order: BankOrder, amountMinor: bigint): Promise<boolean> {
  const merchant = desk.merchantOf(order.merchant);
  const currency = order.rows[0]?.currency ?? "";
  if (!merchant) return false;
  const names = { orderId: order.id, originalRetrefNum: "", currency, installments: 1, card: undefined };
  const request = { operation: "refund" as const, ...names, amountMinor };
  const call = { merchant, request, session: undefined, behaviour: "plain" as const };
  return (await judge(desk, call)).outcome === "approved";
}

function caseOf(desk: Desk, { merchant, request, session }: Call, nowMs: number) {
  const { book } = desk.bank;
  const order = book.order(merchant.terminalId, request.orderId);
  const of: GarantiCase = {
    order,
    row: undefined,
    id: request.originalRetrefNum,
    amountMinor: request.amountMinor,
    currency: request.operation === "void" ? undefined : request.currency,
    day: book.day,
    nowMs,
    request,
    session,
    modes: desk.modes,
    options: merchant.options,
  };
  const [row, another] = rowsOf(desk, merchant, of);
  return { of: { ...of, row }, isAmbiguous: another !== undefined };
}

/** The movement that a follow-up names, or those that it could mean. A void may mean several. */
function rowsOf({ bank: { book } }: Desk, { terminalId }: Merchant, of: GarantiCase): BankRow[] {
  const { order, request, id } = of;
  if (request.card || !order) return [];
  if (id !== "") {
    const named = book.named(terminalId, id);
    return named?.order === order && named.row ? [named.row] : [];
  }
  if (request.operation === "void") return order.rows.filter((row) => isVoidable({ ...of, row }));
  return when.approvedPayments(order).slice(-1);
}

type Judged = { of: GarantiCase; verdict: string | undefined };

function lineOf({ modes, bank: { book } }: Desk, call: Call, judged: Judged, sequence: number): Entry {
  const { of, verdict } = judged;
  const { row, request } = of;
  const { operation } = request;
  const isVoid = operation === "void";
  const isApproved = verdict === undefined;
  const { behaviour } = call;
  const { retrefNum, authCode } = numbersOf(sequence, of.nowMs);
  return {
    ...movementLine(of, { id: retrefNum, isApproved, behaviour, returnsHold: modes.voidReturnsHold }),
    terminalId: call.merchant.terminalId,
    orderId: request.orderId || `SIST${randomBytes(16).toString("hex").toUpperCase()}`,
    // A refused follow-up may have a number; a payment that the gateway refuses has none.
    hostReference: verdict !== undefined && !isOfHost(verdict) && request.card ? null : retrefNum,
    authCode: isApproved ? (request.card ? authCode : (row?.line.authCode ?? null)) : null,
    currency: isVoid ? (row?.currency ?? request.currency) : request.currency,
    resultCode: verdict ?? "00",
    pan: panOf(judged),
    installments: isVoid || operation === "refund" ? 1 : request.installments,
    authentication: (request.card?.kind === "md" && verdict !== "0804" && of.session?.authentication) || null,
    listed: isApproved || (modes.listsRefusals && isListedRefusal(judged)),
    batch: book.day,
  };
}

/** An issuer's decline of a payment is listed, and the first refusal of a refund. */
function isListedRefusal({ of: { request, order }, verdict }: Judged): boolean {
  if (request.card) return isOfHost(verdict ?? "");
  const isRefused = (row: BankRow) => row.kind === "refund" && row.status === "declined";
  return request.operation === "refund" && order !== undefined && !order.rows.some(isRefused);
}

function panOf({ of: { request, session, order } }: Judged): string | null {
  const { card } = request;
  if (!card) return when.approvedPayments(order)[0]?.line.pan ?? null;
  const pan = card.kind === "pan" ? card.pan : session?.form.pan;
  return pan === undefined ? null : maskCardNumber(pan);
}

/** The names of the movement that is the ledger's `sequence`-th line: the year's last digit, its day and a number. */
function numbersOf(sequence: number, atMs: number): { retrefNum: string; authCode: string } {
  const digest = createHash("sha256").update(`${sequence}/${atMs}`).digest();
  return {
    retrefNum: `${namingTime(atMs).day.slice(1)}${String(sequence % 100_000_000).padStart(8, "0")}`,
    authCode: String(digest.readUInt32BE(0) % 1_000_000).padStart(6, "0"),
  };
}
