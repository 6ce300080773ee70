import type { Merchant } from "../merchants.ts";
import type { Rules } from "../modes.ts";
import type { Bank } from "./bank.ts";
import type { AuthenticatedForm } from "./decide-second-step.ts";
import type { Identifiers } from "./identifiers.ts";
import type { LedgerEntry } from "./ledger-line.ts";
import type { Row } from "./order.ts";
import { declined, type IssuerCode, type Verdict } from "./refusals.ts";

/** Influences on an outcome besides the bank's rules. */
export type Circumstances = {
  /** The code with which a test card or a fault declines an operation that the rules would approve. */
  issuerCode?: IssuerCode | undefined;
  /** Approves half of the amount, at least 1. */
  isPartial?: boolean;
  /** Inquiries show one minor unit too much from now on. */
  isShownWrong?: boolean;
};

/** The form to which the `md` of a payment belongs, with the card's masked number. */
export type KnownForm = AuthenticatedForm & { maskedPan: string };

/** The bank's decision, with every fact for its answer. Times are epoch milliseconds. */
export type Outcome = {
  verdict: Verdict;
  orderId: string;
  groupId: string;
  transactionId: string;
  authCode: string | null;
  hostReference: string | null;
  /** The movement's time; for a void that of the voided movement. */
  movementAtMs: number;
  nowMs: number;
  batch: number;
  pan: string | null;
};

export type Judged = { outcome: Outcome; entry: LedgerEntry };

/** The facts for one judgement; `ids` are those of the movement that it may become. */
export type Case = {
  bank: Pick<Bank, "order" | "row" | "hasUsed" | "batch">;
  merchant: Merchant;
  rules: Rules;
  nowMs: number;
  reversalMs: number;
  ids: Identifiers;
  circumstances: Circumstances;
};

type Facts = Pick<LedgerEntry, "operation" | "orderId" | "groupId" | "currency" | "pan"> &
  Partial<
    Pick<
      LedgerEntry,
      "relatedTransactionId" | "installments" | "authentication" | "listed" | "voided" | "holdReturned"
    >
  > & { amountMinor: bigint; hold?: Row | undefined };

/** Puts a verdict into a line of the ledger and into the answer's facts. */
export function judgement(judged: Case, verdict: Verdict, facts: Facts): Judged {
  const { merchant, nowMs, ids, circumstances } = judged;
  const isApproved = verdict.kind === "approved";
  const amountMinor = isApproved && circumstances.isPartial ? halfOf(facts.amountMinor) : facts.amountMinor;
  const named = {
    transactionId: ids.transactionId,
    authCode: isApproved ? (facts.hold?.authCode ?? ids.authCode) : null,
    // A call that the issuer's host has declined has a reference there; one that the gateway refused has not reached
    // it.
    hostReference: verdict.kind === "refused" ? null : (facts.hold?.hostReference ?? ids.hostReference),
  };
  const entry: LedgerEntry = {
    at: new Date(nowMs).toISOString(),
    operation: facts.operation,
    clientId: merchant.clientId,
    orderId: facts.orderId,
    groupId: facts.groupId,
    ...named,
    relatedTransactionId: facts.relatedTransactionId ?? null,
    amountMinor: Number(amountMinor),
    requestedMinor: amountMinor === facts.amountMinor ? undefined : Number(facts.amountMinor),
    shownExtraMinor: isApproved && circumstances.isShownWrong ? 1 : undefined,
    currency: facts.currency,
    outcome: isApproved ? "approved" : "declined",
    resultCode: resultCodeOf(verdict),
    pan: facts.pan,
    installments: facts.installments ?? 1,
    authentication: facts.authentication ?? null,
    listed: facts.listed ?? false,
    voided: isApproved ? (facts.voided ?? null) : null,
    holdReturned: isApproved && (facts.holdReturned ?? false),
  };
  const { orderId, groupId, pan } = facts;
  const outcome = {
    verdict,
    orderId,
    groupId,
    ...named,
    movementAtMs: nowMs,
    nowMs,
    batch: judged.bank.batch,
    pan,
  };
  return { outcome, entry };
}

function resultCodeOf(verdict: Verdict): string {
  switch (verdict.kind) {
    case "approved":
      return "00";
    case "declined":
      return verdict.procReturnCode;
    case "refused":
      return `CORE-${verdict.code}`;
    default:
      return verdict satisfies never;
  }
}

/** The issuer is asked only where the gateway's own rules let an operation through. */
export function bent(verdict: Verdict, { issuerCode }: Circumstances): Verdict {
  return verdict.kind === "approved" && issuerCode ? declined(issuerCode) : verdict;
}

function halfOf(amountMinor: bigint): bigint {
  return amountMinor > 1n ? amountMinor / 2n : 1n;
}
