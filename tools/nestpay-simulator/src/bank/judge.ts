import { maskCardNumber } from "@holdfast/bank-simulator/core";

import type { FoundRow } from "./bank.ts";
import { decideCapture } from "./decide-capture.ts";
import { decideCredit } from "./decide-credit.ts";
import { decidePayment } from "./decide-payment.ts";
import { faultOfSecondStep } from "./decide-second-step.ts";
import { decideVoidOfMovement, decideVoidOfOrder, voidedKind } from "./decide-void.ts";
import { bent, judgement, type Case, type Judged, type KnownForm } from "./judgement.ts";
import type {
  CaptureRequest,
  CreditRequest,
  MoneyRequest,
  PaymentRequest,
  VoidRequest,
} from "./money-request.ts";
import type { Order } from "./order.ts";
import { refused, type Verdict } from "./refusals.ts";

/** Judges an operation by the bank's records; the caller applies and writes the entry. */
export function judge(request: MoneyRequest, form: KnownForm | undefined, judged: Case): Judged {
  const order = judged.bank.order(judged.merchant.clientId, request.orderId);
  switch (request.operation) {
    case "authorize":
    case "sale":
      return judgePayment(request, order, form, judged);
    case "capture":
      return judgeCapture(request, order, judged);
    case "void":
      return judgeVoid(request, order, judged);
    case "refund":
      return judgeCredit(request, order, judged);
    default:
      return request satisfies never;
  }
}

function judgePayment(
  request: PaymentRequest,
  order: Order | undefined,
  form: KnownForm | undefined,
  judged: Case,
): Judged {
  const { card } = request;
  const { bank, merchant, rules, nowMs, reversalMs, circumstances } = judged;
  const fault =
    card.kind === "md"
      ? faultOfSecondStep(form, request, card, bank.hasUsed(merchant.clientId, card.xid), rules)
      : undefined;
  const verdict = fault
    ? refused(fault)
    : bent(
        decidePayment(order, request, {
          nowMs,
          rules,
          reversalMs,
          options: merchant.options,
        }),
        circumstances,
      );
  const pan = card.kind === "pan" ? maskedOrNull(card.pan) : (form?.maskedPan ?? null);
  const orderId = request.orderId === "" ? `ORDER-${judged.ids.transactionId}` : request.orderId;
  return judgement(judged, verdict, {
    ...request,
    orderId,
    groupId: request.groupId === "" ? orderId : request.groupId,
    pan,
    installments: request.installments,
    authentication: fault ? null : (form?.authentication ?? null),
    listed: verdict.kind !== "refused",
  });
}

function judgeVoid(request: VoidRequest, order: Order | undefined, judged: Case): Judged {
  const { bank, merchant, rules } = judged;
  const { verdict, found } =
    request.transactionId === ""
      ? decideVoidOfOrder(order, bank.batch, rules)
      : decideVoidOfMovement(
          bank.row(merchant.clientId, request.transactionId),
          request.transactionId,
          bank.batch,
          rules,
        );
  return voidJudgement(judged, request, bent(verdict, judged.circumstances), found, order);
}

function judgeCapture(request: CaptureRequest, order: Order | undefined, judged: Case): Judged {
  const { verdict, hold, amountMinor } = decideCapture(order, request, judged.nowMs, judged.rules);
  return judgement(judged, bent(verdict, judged.circumstances), {
    ...aboutOrder(order, request, judged),
    operation: "capture",
    amountMinor,
    relatedTransactionId: hold?.transactionId ?? null,
    hold,
    installments: hold?.installments ?? 1,
  });
}

function judgeCredit(request: CreditRequest, order: Order | undefined, judged: Case): Judged {
  const verdict = bent(decideCredit(order, request, judged.rules), judged.circumstances);
  return judgement(judged, verdict, {
    ...aboutOrder(order, request, judged),
    operation: "refund",
    amountMinor: request.amountMinor,
    // A refused refund leaves a row, too, where there is an order to show it.
    listed: order !== undefined,
  });
}

/** The fields that follow-ups take from the order that they name. */
function aboutOrder(
  order: Order | undefined,
  request: { orderId: string; currency?: string | undefined },
  { merchant }: Case,
) {
  const payment = order?.rows.findLast(({ kind }) => kind === "payment");
  return {
    orderId: request.orderId,
    groupId: order?.groupId ?? request.orderId,
    currency: payment?.currency ?? request.currency ?? merchant.options.currencies[0] ?? "TRY",
    pan: payment?.pan ?? null,
  };
}

function voidJudgement(
  judged: Case,
  request: VoidRequest,
  verdict: Verdict,
  found: FoundRow | undefined,
  named: Order | undefined,
): Judged {
  const { row } = found ?? {};
  const order = found?.order ?? named;
  const orderId = order?.orderId ?? request.orderId;
  const about = aboutOrder(order, { orderId, currency: row?.currency }, judged);
  const kind = row ? voidedKind(row) : null;
  const { outcome, entry } = judgement(judged, verdict, {
    ...about,
    operation: "void",
    amountMinor: row ? (row.capturedMinor ?? row.amountMinor) : 0n,
    relatedTransactionId: row?.transactionId ?? null,
    voided: kind,
    holdReturned: kind === "capture" && judged.rules.voidReturnsHold,
  });
  if (!row || verdict.kind !== "approved") return { outcome, entry };
  // The answer and the line name the voided movement; the void has no TransId of its own.
  const voided = {
    transactionId: row.captureTransactionId ?? row.transactionId,
    authCode: row.authCode,
    hostReference: row.hostReference,
  };
  const movementAtMs = row.capturedAtMs ?? row.atMs;
  return { outcome: { ...outcome, ...voided, movementAtMs }, entry: { ...entry, ...voided } };
}

/** Anything but a card number is not kept, masked or not. */
function maskedOrNull(pan: string): string | null {
  return /^\d{13,19}$/.test(pan) ? maskCardNumber(pan) : null;
}
