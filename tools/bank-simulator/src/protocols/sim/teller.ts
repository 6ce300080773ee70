import { randomInt, randomUUID } from "node:crypto";

import {
  duplicateOf,
  halfOf,
  maskCardNumber,
  repeatOf,
  shownUntil,
  type Bank,
  type Order,
  type Unkindness,
} from "../../core/index.ts";
import { MERCHANT, type Entry } from "./ledger-line.ts";
import type { Habits } from "./modes.ts";
import type { OperationRequest } from "./operation-request.ts";
import { resultMessages, type ResultCode } from "./result-codes.ts";
import { codeOf, decideReversal, isSameRequest } from "./rules.ts";

/**
 * The answer to a request, before any fault changes it. `conflict`: the reference is bound to another
 * request. `duplicate`: it is bound to this one, and the bank repeats no answers.
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
  /** Accepts the operation only: its result comes with a decision. */
  isPending?: boolean;
};

/** An operation whose result comes later. `decide` carries it out, or declines it with a code. */
type Accepted = { body: AnswerBody; decide: (forcedCode: ResultCode | undefined) => Promise<Answer> };

/** Carries out requests, each reference once unless its modes say otherwise. */
export class Teller {
  readonly #bank: Bank<Entry>;
  readonly #modes: Readonly<Habits & Unkindness>;
  /** These operations have moved nothing, so a restart forgets them, as if they had never come. */
  readonly #accepted = new Map<string, Accepted>();

  /** `modes` may change between two calls. */
  constructor(bank: Bank<Entry>, modes: Readonly<Habits & Unkindness>) {
    this.#bank = bank;
    this.#modes = modes;
  }

  /** True if a repeat of this request would be answered with a stored outcome. */
  hasSeen(reference: string): boolean {
    return this.#bank.book.named(MERCHANT, reference)?.line !== undefined;
  }

  /**
   * Carries out every operation except a reversal. A repetition that gets the first outcome gets it
   * regardless of its present circumstances. A repetition of an operation that was only accepted is accepted
   * again.
   */
  async operate(request: OperationRequest, circumstances: Circumstances): Promise<Answer> {
    const { reference, amountMinor, currency } = request;
    const { isPending, ...others } = circumstances;
    const accepted = this.#accepted.get(reference);
    if (accepted) return { kind: "answer", body: accepted.body };
    if (!isPending || this.hasSeen(reference)) return await this.#operate(request, circumstances);
    const body = { reference, outcome: "pending" as const, amountMinor: Number(amountMinor), currency };
    const decide = (forcedCode = others.forcedCode) => this.#operate(request, { ...others, forcedCode });
    this.#accepted.set(reference, { body, decide });
    return { kind: "answer", body };
  }

  /** Decides on an operation that was accepted only. @returns whether there is one under the reference */
  async decide(reference: string, forcedCode: ResultCode | undefined): Promise<boolean> {
    const accepted = this.#accepted.get(reference);
    if (!accepted) return false;
    await accepted.decide(forcedCode);
    this.#accepted.delete(reference);
    return true;
  }

  #operate(request: OperationRequest, { isExpired, forcedCode, isPartial }: Circumstances): Promise<Answer> {
    const { book } = this.#bank;
    return this.#bank.judge((nowMs): { line?: Entry; outcome: Answer } => {
      const named = book.named(MERCHANT, request.reference);
      if (named?.line) {
        if (!isSameRequest(named.line, request)) return { outcome: { kind: "conflict" } };
        const repeat = repeatOf(named, this.#modes.repetition);
        if (repeat === "refuse") return { outcome: { kind: "duplicate" } };
        if (repeat === "replay") return { outcome: { kind: "answer", body: outcomeBody(named.line) } };
      }
      const copied = this.#duplicateOf(request, nowMs);
      if (copied) {
        const body = { ...outcomeBody(copied), reference: request.reference };
        return { outcome: { kind: "answer", body } };
      }
      const resultCode = isExpired ? "expired_request" : (forcedCode ?? codeOf(book, request, nowMs));
      const { parentReference } = request;
      const parent = parentReference === null ? undefined : book.named(MERCHANT, parentReference);
      const approvedMinor =
        isPartial && resultCode === "00" ? halfOf(request.amountMinor) : request.amountMinor;
      const line = lineOf(request, nowMs, {
        parentReference,
        approvedMinor,
        pan: request.pan === null ? (parent?.line?.pan ?? null) : maskCardNumber(request.pan),
        resultCode,
      });
      return { line, outcome: { kind: "answer", body: outcomeBody(line) } };
    });
  }

  /** The line for which a bank with a duplicate window takes a follow-up under another reference. */
  #duplicateOf({ operation, parentReference, amountMinor }: OperationRequest, nowMs: number) {
    if (parentReference === null || operation === "cancel" || operation === "reverse") return undefined;
    const order = this.#bank.book.named(MERCHANT, parentReference)?.order;
    return duplicateOf(order, { operation, amountMinor, nowMs }, this.#modes);
  }

  /** Refunds as a person does in the bank's panel. @returns whether the rules of life allowed it */
  async refundInPanel({ id, rows }: Order<Entry>, amountMinor: bigint): Promise<boolean> {
    const currency = rows[0]?.currency ?? "";
    const names = { operation: "refund" as const, reference: `panel-${randomUUID()}`, parentReference: id };
    const request = { ...names, amountMinor, currency, pan: null, expiresAtMs: undefined };
    const plain = { isExpired: false, forcedCode: undefined, isPartial: false };
    const answer = await this.#operate(request, plain);
    return answer.kind === "answer" && answer.body.outcome === "approved";
  }

  /**
   * Carries out a reversal. A refusal leaves no line and is decided again at each repeat, so that in the ledger a
   * reference is live exactly when it has an approved authorization or sale and no reversal.
   */
  reverse(request: OperationRequest, circumstances: Circumstances): Promise<Answer> {
    const { book } = this.#bank;
    return this.#bank.judge((nowMs): { line?: Entry; outcome: Answer } => {
      const named = book.named(MERCHANT, request.reference);
      const decision = decideReversal(book, request, nowMs);
      if (decision === "conflict") return { outcome: { kind: "conflict" } };
      if (named?.reversal && this.#modes.repetition !== "replay") return { outcome: { kind: "duplicate" } };
      const body = named?.reversal
        ? reversalBody(request, "reversed", "00")
        : this.#unboundReversal(request, decision, named?.line !== undefined, circumstances);
      if (body) return { outcome: { kind: "answer", body } };
      const line = lineOf(request, nowMs, {
        // A tombstone reverses nothing, so it names no original.
        parentReference: named?.isApproved ? request.reference : null,
        approvedMinor: request.amountMinor,
        pan: named?.line?.pan ?? null,
        resultCode: "00",
      });
      return { line, outcome: { kind: "answer", body: reversalBody(request, "reversed", "00") } };
    });
  }

  /** Returns the outcome of a reference. Follow-ups do not change the answer, a reversal does. */
  inquire(reference: string): Promise<AnswerBody> {
    return this.#bank.judge((nowMs): { outcome: AnswerBody } => {
      const named = this.#bank.book.named(MERCHANT, reference);
      const untilMs = shownUntil(nowMs, this.#modes);
      const isShown = (line: Entry | undefined) => line !== undefined && Date.parse(line.at) <= untilMs;
      if (isShown(named?.reversal)) return { outcome: { reference, outcome: "reversed" } };
      if (!named?.line || !isShown(named.line))
        return { outcome: this.#accepted.get(reference)?.body ?? { reference, outcome: "not_found" } };
      const { operation } = named.line;
      const at = new Date(this.#bank.clock.shown(Date.parse(named.line.at))).toISOString();
      return { outcome: { ...outcomeBody(named.line), operation, at } };
    });
  }

  /** The answer to a reversal that leaves no line; undefined if the bank's rules let it reverse or bind. */
  #unboundReversal(
    request: OperationRequest,
    decision: ResultCode,
    isSeen: boolean,
    { isExpired, forcedCode }: Circumstances,
  ): AnswerBody | undefined {
    if (isExpired) return reversalBody(request, "expired", "expired_request");
    if (forcedCode) return reversalBody(request, "refused", forcedCode);
    if (decision === "settled") return reversalBody(request, "settled", "settled");
    if (decision !== "00") return reversalBody(request, "refused", decision);
    return isSeen || this.#modes.bindsUnseen ? undefined : reversalBody(request, "not_found", "25");
  }
}

/**
 * A call that expired is a decline in the ledger, since nothing has happened; callers must not treat it as a
 * judgement.
 */
function outcomeBody(line: Entry): AnswerBody {
  return {
    reference: line.reference,
    outcome: line.resultCode === "expired_request" ? "expired" : line.outcome,
    amountMinor: line.amountMinor,
    currency: line.currency,
    externalTransactionId: line.externalTransactionId,
    resultCode: line.resultCode,
    resultMessage: resultMessages[line.resultCode],
    ...(line.authCode !== null && { authCode: line.authCode }),
  };
}

function reversalBody(
  { reference, amountMinor, currency }: OperationRequest,
  outcome: AnswerBody["outcome"],
  resultCode: ResultCode,
): AnswerBody {
  const resultMessage = resultMessages[resultCode];
  return { reference, outcome, amountMinor: Number(amountMinor), currency, resultCode, resultMessage };
}

function lineOf(
  request: OperationRequest,
  nowMs: number,
  found: Pick<Entry, "parentReference" | "pan" | "resultCode"> & { approvedMinor: bigint },
): Entry {
  const { operation, reference, amountMinor, currency, loyaltyCode } = request;
  const { parentReference, approvedMinor, pan, resultCode } = found;
  const isApproved = resultCode === "00";
  return {
    at: new Date(nowMs).toISOString(),
    operation,
    reference,
    parentReference,
    amountMinor: Number(approvedMinor),
    requestedMinor: approvedMinor === amountMinor ? undefined : Number(amountMinor),
    currency,
    outcome: isApproved ? "approved" : "declined",
    externalTransactionId: randomUUID(),
    pan,
    loyaltyCode,
    authCode: isApproved ? String(randomInt(AUTH_CODES)).padStart(6, "0") : null,
    resultCode,
  };
}

/** Authorization codes have six digits. */
const AUTH_CODES = 1_000_000;
