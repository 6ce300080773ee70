import { randomInt, randomUUID } from "node:crypto";

import type { Account, Bank } from "./bank.ts";
import { decideOperation, decideReversal } from "./bank-rules.ts";
import type { Ledger, LedgerEntry } from "./ledger.ts";
import type { OperationRequest } from "./operation-request.ts";
import { resultMessages, type ResultCode } from "./result-codes.ts";

/** The answer to a request, before any fault changes it. `conflict`: the reference is bound to another request. */
export type Answer = { kind: "answer"; body: AnswerBody } | { kind: "conflict" };

/** The JSON of an answer; `README.md` describes it. */
export type AnswerBody = {
  reference: string;
  outcome: "approved" | "declined" | "reversed" | "refused" | "not_found";
  operation?: string;
  at?: string;
  amountMinor?: number;
  currency?: string;
  externalTransactionId?: string;
  authCode?: string;
  resultCode?: string;
  resultMessage?: string;
};

/** Reasons for a decline before the bank's rules apply. */
export type Circumstances = {
  /** The request had passed its expiry when it arrived. */
  isExpired: boolean;
  /** The code with which a test card or a fault declines. */
  forcedCode: ResultCode | undefined;
};

/**
 * Carries out requests, each reference once, and answers only when the result is durable. Between reading the bank's
 * state and changing it there is no `await`: of two calls with one reference the second sees what the first has done.
 */
export class Teller {
  readonly #bank: Bank;
  readonly #ledger: Ledger;

  constructor(bank: Bank, ledger: Ledger) {
    this.#bank = bank;
    this.#ledger = ledger;
  }

  /** Whether a repeat of this request would be answered with a stored outcome. */
  hasSeen(reference: string): boolean {
    return this.#bank.account(reference)?.entry !== undefined;
  }

  /**
   * Carries out every operation but a reversal. A repeat gets the first outcome, whatever its circumstances are now.
   */
  async operate(request: OperationRequest, circumstances: Circumstances): Promise<Answer> {
    const account = this.#bank.account(request.reference);
    if (account?.entry) {
      if (!isSameRequest(account.entry, request)) return { kind: "conflict" };
      await this.#ledger.flushed();
      return { kind: "answer", body: outcomeBody(account.entry) };
    }
    const parent = request.parentReference === null ? undefined : this.#bank.account(request.parentReference);
    const resultCode = circumstances.isExpired
      ? "expired_request"
      : (circumstances.forcedCode ?? decideOperation(request, account, parent));
    const pan = request.pan === null ? (parent?.entry?.pan ?? null) : maskPan(request.pan);
    const entry = await this.#record(request, { parentReference: request.parentReference, pan, resultCode });
    return { kind: "answer", body: outcomeBody(entry) };
  }

  /**
   * Carries out a reversal. A refusal leaves no line and is decided again at each repeat, so that in the ledger a
   * reference is live exactly when it has an approved authorization or sale and no reversal.
   */
  async reverse(request: OperationRequest, circumstances: Circumstances): Promise<Answer> {
    const account = this.#bank.account(request.reference);
    const decision = decideReversal(request, account);
    if (decision.kind === "conflict") return decision;
    if (account?.reversal) {
      await this.#ledger.flushed();
      return { kind: "answer", body: reversalBody(request, "reversed", "00") };
    }
    const refusal = circumstances.isExpired ? "expired_request" : circumstances.forcedCode;
    if (refusal) return { kind: "answer", body: reversalBody(request, "refused", refusal) };
    if (decision.kind === "refuse") {
      await this.#ledger.flushed();
      return { kind: "answer", body: reversalBody(request, "refused", decision.resultCode) };
    }
    await this.#record(request, {
      // A tombstone reverses nothing, so it names no original.
      parentReference: account?.entry?.outcome === "approved" ? request.reference : null,
      pan: account?.entry?.pan ?? null,
      resultCode: "00",
    });
    return { kind: "answer", body: reversalBody(request, "reversed", "00") };
  }

  /** Returns the outcome of a reference. Follow-ups do not change the answer, a reversal does. */
  async inquire(reference: string): Promise<AnswerBody> {
    const account = this.#bank.account(reference);
    await this.#ledger.flushed();
    return inquiryBody(reference, account);
  }

  async #record(
    request: OperationRequest,
    found: Pick<LedgerEntry, "parentReference" | "pan" | "resultCode">,
  ): Promise<LedgerEntry> {
    const isApproved = found.resultCode === "00";
    const entry: LedgerEntry = {
      at: new Date().toISOString(),
      operation: request.operation,
      reference: request.reference,
      parentReference: found.parentReference,
      amountMinor: request.amountMinor,
      currency: request.currency,
      outcome: isApproved ? "approved" : "declined",
      externalTransactionId: randomUUID(),
      pan: found.pan,
      authCode: isApproved ? String(randomInt(AUTH_CODES)).padStart(6, "0") : null,
      resultCode: found.resultCode,
    };
    this.#bank.apply(entry);
    await this.#ledger.append(entry);
    return entry;
  }
}

/** Authorization codes have six digits. */
const AUTH_CODES = 1_000_000;

function isSameRequest(entry: LedgerEntry, request: OperationRequest): boolean {
  return (
    entry.operation === request.operation &&
    entry.amountMinor === request.amountMinor &&
    entry.currency === request.currency &&
    entry.parentReference === request.parentReference
  );
}

function maskPan(pan: string): string {
  return `${pan.slice(0, 6)}${"*".repeat(pan.length - 10)}${pan.slice(-4)}`;
}

function inquiryBody(reference: string, account: Account | undefined): AnswerBody {
  if (account?.reversal) return { reference, outcome: "reversed" };
  if (!account?.entry) return { reference, outcome: "not_found" };
  return { ...outcomeBody(account.entry), operation: account.entry.operation, at: account.entry.at };
}

function outcomeBody(entry: LedgerEntry): AnswerBody {
  const body: AnswerBody = {
    reference: entry.reference,
    outcome: entry.outcome,
    amountMinor: Number(entry.amountMinor),
    currency: entry.currency,
    externalTransactionId: entry.externalTransactionId,
    resultCode: entry.resultCode,
    resultMessage: resultMessages[entry.resultCode],
  };
  if (entry.authCode !== null) body.authCode = entry.authCode;
  return body;
}

function reversalBody(
  request: OperationRequest,
  outcome: "reversed" | "refused",
  resultCode: ResultCode,
): AnswerBody {
  return {
    reference: request.reference,
    outcome,
    amountMinor: Number(request.amountMinor),
    currency: request.currency,
    resultCode,
    resultMessage: resultMessages[resultCode],
  };
}
