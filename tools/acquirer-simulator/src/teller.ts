import { randomInt, randomUUID } from "node:crypto";

import { maskCardNumber, type Ledger } from "@holdfast/simulator-kit";

import { lineOf, type LedgerEntry, type LedgerLine } from "./ledger-entry.ts";
import type { Account, Bank } from "./bank.ts";
import { decideOperation, decideReversal, type ReversalDecision } from "./bank-rules.ts";
import type { Habits } from "./modes.ts";
import type { OperationRequest } from "./operation-request.ts";
import { resultMessages, type ResultCode } from "./result-codes.ts";

/**
 * The answer to a request, before any fault changes it. `conflict`: the reference is bound to another request;
 * `duplicate`: to this one, and the bank repeats no answers.
 */
export type Answer = { kind: "answer"; body: AnswerBody } | { kind: "conflict" } | { kind: "duplicate" };

/** The JSON of an answer; `README.md` describes it. */
export type AnswerBody = {
  reference: string;
  outcome: "approved" | "declined" | "expired" | "reversed" | "refused" | "settled" | "not_found" | "pending";
  operation?: string;
  at?: string;
  amountMinor?: number;
  currency?: string;
  externalTransactionId?: string;
  authCode?: string;
  resultCode?: string;
  resultMessage?: string;
};

/** Influences on an outcome besides the bank's rules. */
export type Circumstances = {
  /** The request had passed its expiry when it arrived, or a fault says so. */
  isExpired: boolean;
  /** The code with which a test card or a fault declines. */
  forcedCode: ResultCode | undefined;
  /** Approves half of the amount, at least 1. */
  isPartial: boolean;
};

/**
 * Carries out requests, each reference once unless its modes say otherwise, and answers only when the result is
 * durable. Between reading the bank's state and changing it there is no `await`: of two calls with one reference the
 * second sees the effect of the first.
 */
export class Teller {
  readonly #bank: Bank;
  readonly #ledger: Ledger<LedgerLine>;
  readonly #modes: Readonly<Habits>;

  /** `modes` may change between two calls. */
  constructor(bank: Bank, ledger: Ledger<LedgerLine>, modes: Readonly<Habits>) {
    this.#bank = bank;
    this.#ledger = ledger;
    this.#modes = modes;
  }

  /** True if a repeat of this request would be answered with a stored outcome. */
  hasSeen(reference: string): boolean {
    return this.#bank.account(reference)?.entry !== undefined;
  }

  /**
   * Carries out every operation but a reversal. A repeat that is answered with the first outcome gets it regardless of
   * its present circumstances.
   */
  async operate(request: OperationRequest, circumstances: Circumstances): Promise<Answer> {
    const account = this.#bank.account(request.reference);
    if (account?.entry) {
      if (!isSameRequest(account.entry, request)) return { kind: "conflict" };
      const repeat = this.#repeat(account.entry);
      await this.#ledger.flushed();
      if (repeat) return repeat;
    }
    const parent = request.parentReference === null ? undefined : this.#bank.account(request.parentReference);
    const resultCode = circumstances.isExpired
      ? "expired_request"
      : (circumstances.forcedCode ?? decideOperation(request, account, parent));
    const pan = request.pan === null ? (parent?.entry?.pan ?? null) : maskCardNumber(request.pan);
    const isPartial = circumstances.isPartial && resultCode === "00";
    const entry = await this.#record(request, {
      parentReference: request.parentReference,
      amountMinor: isPartial ? halfOf(request.amountMinor) : request.amountMinor,
      pan,
      resultCode,
    });
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
      if (this.#modes.repetition !== "replay") return { kind: "duplicate" };
      return { kind: "answer", body: reversalBody(request, "reversed", "00") };
    }
    const unbound = unboundReversal(decision, account, circumstances, this.#modes);
    if (unbound) {
      await this.#ledger.flushed();
      return { kind: "answer", body: reversalBody(request, unbound.outcome, unbound.resultCode) };
    }
    await this.#record(request, {
      // A tombstone reverses nothing, so it names no original.
      parentReference: account?.entry?.outcome === "approved" ? request.reference : null,
      amountMinor: request.amountMinor,
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

  /** The answer to a repeat; undefined where it is judged as if it were the first. */
  #repeat(entry: LedgerEntry): Answer | undefined {
    switch (this.#modes.repetition) {
      case "replay":
        return { kind: "answer", body: outcomeBody(entry) };
      case "refuses_second_success":
        return entry.outcome === "approved" ? { kind: "duplicate" } : undefined;
      case "none":
        return undefined;
      default:
        return this.#modes.repetition satisfies never;
    }
  }

  async #record(
    request: OperationRequest,
    found: Pick<LedgerEntry, "parentReference" | "amountMinor" | "pan" | "resultCode">,
  ): Promise<LedgerEntry> {
    const isApproved = found.resultCode === "00";
    const entry: LedgerEntry = {
      at: new Date().toISOString(),
      operation: request.operation,
      reference: request.reference,
      parentReference: found.parentReference,
      amountMinor: found.amountMinor,
      requestedMinor: found.amountMinor === request.amountMinor ? undefined : request.amountMinor,
      currency: request.currency,
      outcome: isApproved ? "approved" : "declined",
      externalTransactionId: randomUUID(),
      pan: found.pan,
      loyaltyCode: request.loyaltyCode,
      authCode: isApproved ? String(randomInt(AUTH_CODES)).padStart(6, "0") : null,
      resultCode: found.resultCode,
    };
    this.#bank.apply(entry);
    await this.#ledger.append(lineOf(entry));
    return entry;
  }
}

/** Authorization codes have six digits. */
const AUTH_CODES = 1_000_000;

/** The answer to a reversal that leaves no line; undefined where the bank's rules let it reverse or bind. */
function unboundReversal(
  decision: Exclude<ReversalDecision, { kind: "conflict" }>,
  account: Account | undefined,
  { isExpired, forcedCode }: Circumstances,
  { bindsUnseen }: Habits,
): { outcome: "expired" | "refused" | "settled" | "not_found"; resultCode: ResultCode } | undefined {
  if (isExpired) return { outcome: "expired", resultCode: "expired_request" };
  if (forcedCode) return { outcome: "refused", resultCode: forcedCode };
  if (decision.kind === "settled") return { outcome: "settled", resultCode: "settled" };
  if (decision.kind === "refuse") return { outcome: "refused", resultCode: decision.resultCode };
  return account?.entry || bindsUnseen ? undefined : { outcome: "not_found", resultCode: "25" };
}

function halfOf(amountMinor: bigint): bigint {
  return amountMinor > 1n ? amountMinor / 2n : 1n;
}

function isSameRequest(entry: LedgerEntry, request: OperationRequest): boolean {
  return (
    entry.operation === request.operation &&
    (entry.requestedMinor ?? entry.amountMinor) === request.amountMinor &&
    entry.currency === request.currency &&
    entry.parentReference === request.parentReference
  );
}

function inquiryBody(reference: string, account: Account | undefined): AnswerBody {
  if (account?.reversal) return { reference, outcome: "reversed" };
  if (!account?.entry) return { reference, outcome: "not_found" };
  return { ...outcomeBody(account.entry), operation: account.entry.operation, at: account.entry.at };
}

function outcomeBody(entry: LedgerEntry): AnswerBody {
  const body: AnswerBody = {
    reference: entry.reference,
    // The ledger knows it as a decline, since nothing has happened; callers must not take it for the bank's judgement.
    outcome: entry.resultCode === "expired_request" ? "expired" : entry.outcome,
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
  outcome: AnswerBody["outcome"],
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
