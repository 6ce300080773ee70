import { judgeCall, maskCardNumber, movementLine, verdictOf, when } from "../../core/index.ts";
import { identifiersOf } from "./bank-time.ts";
import type { Behaviour } from "./behaviours.ts";
import type { MoneyRequest } from "./cc5-request.ts";
import type { Desk } from "./desk.ts";
import type { GateSession } from "./gate-sessions.ts";
import { capturedAtMs, groupOf, type BankOrder, type BankRow, type Entry } from "./ledger-line.ts";
import type { Merchant } from "./merchants.ts";
import { LIRA } from "./money.ts";
import { resultCodeOf, type Verdict } from "./refusals.ts";
import { judgeByRules, secondStep, type NestpayCase } from "./rules.ts";

/** A call about money. */
export type Call = {
  merchant: Merchant;
  request: MoneyRequest;
  /** The 3-D Secure session of a payment's `md`. */
  session: GateSession | undefined;
  behaviour: Behaviour;
  /** Present if a person makes it in the bank's panel. */
  uncalled?: "panel";
};

/** The bank's decision, with the facts of its answer that the line does not have. */
export type Outcome = {
  verdict: Verdict;
  line: Entry;
  batch: number;
  /** The movement's time; for a void the voided movement's. */
  movementAtMs: number;
};

/** Judges a call by the bank's records, and resolves when its line is on the disk. */
export async function judge(desk: Desk, call: Call): Promise<Outcome> {
  const judgedAt = (nowMs: number): Judged => {
    const of = caseOf(desk, call, nowMs);
    const fault = of.request.card?.kind === "md" ? verdictOf(secondStep, of) : undefined;
    const { verdict: ruled, row } = fault ? { verdict: fault, row: undefined } : judgeByRules(of);
    // The issuer is asked only if the gateway's own rules allow an operation.
    return { of, verdict: ruled ?? call.behaviour.issuerCode, row, isAuthenticated: !fault };
  };
  const lineAt = (judged: Judged, sequence: number) => lineOf(call, judged, sequence);
  const { line, judged, isCopy } = await judgeCall(desk, call.behaviour.name, { judgedAt, lineOf: lineAt });
  const { of, verdict, row } = judged;
  const movementAtMs = line.voided && row ? capturedAtMs(row) : Date.parse(line.at);
  return { verdict: isCopy ? undefined : verdict, line, batch: of.day, movementAtMs };
}

/** A refund that somebody makes in the bank's panel. @returns whether the rules of life allowed it */
export function refundInPanel(desk: Desk, order: BankOrder, amountMinor: bigint): Promise<boolean> {
  return actInPanel(desk, order, { operation: "refund", transactionId: "", amountMinor });
}

/** A void of one of an order's movements, made by the bank's staff in its panel. */
export function voidInPanel(desk: Desk, order: BankOrder, transactionId: string): Promise<boolean> {
  return actInPanel(desk, order, { operation: "void", transactionId, amountMinor: undefined });
}

async function actInPanel(
  desk: Desk,
  { merchant, id }: BankOrder,
  act: Pick<MoneyRequest, "operation" | "transactionId" | "amountMinor">,
): Promise<boolean> {
  const store = desk.merchantOf(merchant);
  if (!store) return false;
  const terms = { currency: undefined, holdMinor: undefined, installments: 1, namesOne: false };
  const request = { ...act, ...terms, orderId: id, groupId: id, card: undefined };
  const behaviour = { name: "plain" as const, issuerCode: undefined };
  const call: Call = { merchant: store, request, session: undefined, behaviour, uncalled: "panel" };
  return (await judge(desk, call)).verdict === undefined;
}

function caseOf(desk: Desk, { merchant, request, session }: Call, nowMs: number): NestpayCase {
  const { card } = request;
  const { order, row } = movementOf(desk, merchant, request);
  return {
    order,
    row,
    id: request.transactionId,
    amountMinor: request.amountMinor ?? row?.amountMinor ?? 0n,
    currency: request.currency,
    day: desk.bank.book.day,
    nowMs,
    request,
    session,
    isXidUsed: card?.kind === "md" && desk.usedXids.has(`${merchant.clientId}/${card.xid}`),
    rules: desk.rulesOf(merchant),
    options: merchant.options,
    reversalMs: desk.reversalMs,
  };
}

/** The movement that a call is about, and its order: the open hold of a capture, the first payment of a refund. */
function movementOf({ bank: { book } }: Desk, { clientId }: Merchant, request: MoneyRequest) {
  const order = book.order(clientId, request.orderId);
  switch (request.operation) {
    case "authorize":
    case "sale":
      return { order, row: undefined };
    case "capture":
      return { order, row: when.approvedPayments(order).find((row) => when.isOpenHold({ row })) };
    case "refund":
      return { order, row: when.approvedPayments(order)[0] };
    case "void": {
      const named = book.named(clientId, request.transactionId);
      return named && !when.isUnknown(named) ? named : { order, row: undefined };
    }
    default:
      return request.operation satisfies never;
  }
}

type Judged = {
  of: NestpayCase;
  verdict: Verdict;
  row: BankRow | undefined;
  /** False if the second step of 3-D Secure has failed its checks against the form. */
  isAuthenticated: boolean;
};

function lineOf({ merchant, behaviour, uncalled }: Call, judged: Judged, sequence: number): Entry {
  const { of, verdict, row } = judged;
  const { operation, card } = of.request;
  const isApproved = verdict === undefined;
  const ids = identifiersOf(sequence, of.nowMs);
  // A capture has the references of its hold. A void names the voided movement, and has no TransId of its own.
  const related = operation === "capture" || (operation === "void" && isApproved) ? row : undefined;
  const { authCode, hostReference } = related?.line ?? ids;
  const movement = movementLine(
    { ...of, row },
    { id: ids.transactionId, isApproved, behaviour: behaviour.name, returnsHold: of.rules.voidReturnsHold },
  );
  return {
    ...movement,
    clientId: merchant.clientId,
    ...(card ? ofPayment(judged, ids.transactionId) : ofOrder(judged)),
    authCode: isApproved ? authCode : null,
    // A call that the gateway has refused has not reached the issuer's host.
    hostReference: typeof verdict === "number" ? null : hostReference,
    resultCode: resultCodeOf(verdict),
    uncalled,
  };
}

/** The fields that a payment brings along. */
function ofPayment({ of, verdict, isAuthenticated }: Judged, transactionId: string) {
  const { request, session } = of;
  const orderId = request.orderId || `ORDER-${transactionId}`;
  const pan = request.card?.kind === "pan" ? request.card.pan : (session?.form.pan ?? "");
  return {
    orderId,
    groupId: request.groupId || orderId,
    currency: request.currency ?? "",
    // Only a card number is kept, masked; any other text is dropped.
    pan: /^\d{13,19}$/.test(pan) ? maskCardNumber(pan) : null,
    installments: request.installments,
    authentication: (isAuthenticated && session?.authentication) || null,
    listed: typeof verdict !== "number",
  };
}

/** The fields that a follow-up takes from the order that it names. A refused refund leaves a row there, too. */
function ofOrder({ of: { request, order, options }, row }: Judged) {
  const payment = order?.rows.findLast(({ kind }) => kind === "payment");
  const orderId = order?.id ?? request.orderId;
  return {
    orderId,
    groupId: groupOf(order) ?? orderId,
    currency: payment?.currency ?? request.currency ?? options.currencies[0] ?? LIRA,
    pan: payment?.line.pan ?? null,
    installments: request.operation === "capture" ? (row?.line.installments ?? 1) : 1,
    authentication: null,
    listed: request.operation === "refund" && order !== undefined,
  };
}
