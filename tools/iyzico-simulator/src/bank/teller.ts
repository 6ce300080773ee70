import { randomInt } from "node:crypto";

import { maskCardNumber, type Ledger } from "@holdfast/bank-simulator/core";

import type { Modes } from "../control/modes.ts";
import type { ErrorCode } from "../wire/error-codes.ts";
import type { Bank } from "./bank.ts";
import {
  decideCancel,
  decideCapture,
  decideCompletion,
  decidePayment,
  decideRefund,
  type Completion,
  type Decision,
} from "./bank-rules.ts";
import type { Entry, ItemFacts, LedgerLine } from "./ledger-line.ts";
import type { Circumstances, Judged, JudgedPayment } from "./judged.ts";
import { orderOf, type PaymentRequest } from "./payment-request.ts";
import type { Payment, PaymentItem } from "./payment.ts";
import { cardPlan } from "./test-cards.ts";

type FollowUp = { conversationId: string; currency: string; amountMinor: bigint };

/**
 * Carries out operations that move money. Each method decides, changes the bank and queues the ledger's line without an
 * `await` between, so that of two calls the second sees the effect of the first.
 */
export class Teller {
  readonly #bank: Bank;
  readonly #ledger: Ledger<LedgerLine>;
  readonly #modes: Readonly<Modes>;
  readonly #now: () => number;

  /** `modes` may change between two calls. */
  constructor(bank: Bank, ledger: Ledger<LedgerLine>, modes: Readonly<Modes>, now: () => number) {
    this.#bank = bank;
    this.#ledger = ledger;
    this.#modes = modes;
    this.#now = now;
  }

  /** A payment without 3-D Secure. Each call is a new one: nothing of it is a key that a repeat could have. */
  pay(
    merchantId: string,
    operation: "authorize" | "sale",
    request: PaymentRequest,
    circumstances: Circumstances,
  ): JudgedPayment {
    const plan = cardPlan(request.pan);
    const decision = decidePayment(orderOf(request), plan, new Date(this.#now()), this.#modes);
    const at = this.#time();
    return this.#charge(decision, circumstances, request.paidPriceMinor, () => ({
      operation,
      merchantId,
      orderId: request.conversationId,
      conversationId: request.conversationId,
      basketId: request.basketId,
      currency: request.currency,
      paymentId: this.#bank.nextId(),
      pan: maskCardNumber(request.pan),
      payment: {
        priceMinor: Number(request.priceMinor),
        installment: request.installment,
        fraudStatus: 1,
        isThreeDs: false,
        mdStatus: null,
        refusesFollowUps: plan?.refusesFollowUps ?? false,
        buyerId: request.buyerId,
        ip: request.ip,
        createdAt: at,
        items: this.itemFacts(request.items),
      },
    }));
  }

  /** The money of an authenticated payment, under the id of its start. */
  complete(payment: Payment, completion: Completion, circumstances: Circumstances): JudgedPayment {
    const decision = decideCompletion(payment, completion, this.#modes);
    return this.#charge(decision, circumstances, payment.paidPriceMinor, () => ({
      ...aboutOf(payment),
      operation: payment.operation,
      conversationId: completion.conversationId,
      payment: {
        priceMinor: Number(payment.priceMinor),
        installment: payment.installment,
        fraudStatus: 1,
        isThreeDs: true,
        mdStatus: payment.threeDs?.mdStatus ?? null,
        refusesFollowUps: payment.refusesFollowUps,
        buyerId: payment.buyerId,
        ip: payment.ip,
        createdAt: payment.createdAt,
        items: payment.items.map(({ itemId, paymentTransactionId, priceMinor }) => ({
          itemId,
          paymentTransactionId,
          priceMinor: Number(priceMinor),
        })),
      },
    }));
  }

  capture(payment: Payment, asked: FollowUp, { forcedCode }: Circumstances): Judged {
    const decision = forced(forcedCode) ?? decideCapture(payment, asked, this.#modes);
    return this.#followUp(decision, payment, asked, {
      operation: "capture",
      transactionId: payment.paymentId,
    });
  }

  cancel(payment: Payment, conversationId: string, { forcedCode }: Circumstances): Judged {
    const decision = forced(forcedCode) ?? decideCancel(payment, this.#modes);
    const asked = { conversationId, currency: payment.currency, amountMinor: payment.paidPriceMinor };
    return this.#followUp(decision, payment, asked, {
      operation: "void",
      transactionId: this.#bank.nextId(),
    });
  }

  /** Refunds an item; without one the bank chooses the items. */
  refund(
    payment: Payment,
    asked: FollowUp & { item: PaymentItem | undefined },
    { forcedCode }: Circumstances,
  ): Judged {
    const decision = forced(forcedCode) ?? decideRefund(payment, asked, new Date(this.#now()), this.#modes);
    const parts = decision.kind === "approve" && "parts" in decision ? decision.parts : [];
    const refunds = parts.map(({ item, amountMinor }) => ({
      paymentTransactionId: item.paymentTransactionId,
      refundTxId: this.#bank.nextId(),
      amountMinor: Number(amountMinor),
    }));
    return this.#followUp(decision, payment, asked, {
      operation: "refund",
      transactionId: refunds[0]?.refundTxId ?? this.#bank.nextId(),
      ...(refunds.length > 0 && { refunds }),
      isAfterSettlement: payment.isDayOver,
    });
  }

  /** Gives each item of a new payment its id. */
  itemFacts(items: PaymentRequest["items"]): ItemFacts[] {
    return items.map(({ itemId, priceMinor }) => ({
      itemId,
      paymentTransactionId: this.#bank.nextId(),
      priceMinor: Number(priceMinor),
    }));
  }

  #charge(
    decision: Decision,
    { forcedCode, isPartial }: Circumstances,
    askedMinor: bigint,
    facts: () => Charge,
  ): JudgedPayment {
    if (decision.kind === "refuse")
      return { code: decision.code, entry: undefined, payment: undefined, durable: this.#ledger.flushed() };
    const isFraudRefusal = decision.kind === "decline" && decision.isFraudRefusal === true;
    const code = forcedCode ?? (decision.kind === "decline" ? decision.code : null);
    const charge = facts();
    charge.payment.fraudStatus = isFraudRefusal ? -1 : code === null ? this.#modes.fraudStatus : 1;
    const amountMinor = isPartial && code === null ? halfOf(askedMinor) : askedMinor;
    const judged = this.#record(code, {
      ...charge,
      transactionId: charge.paymentId,
      amountMinor: Number(amountMinor),
    });
    return { ...judged, payment: this.#bank.payment(charge.merchantId, charge.paymentId) };
  }

  #followUp(
    decision: { kind: "approve" } | Exclude<Decision, { kind: "approve" }>,
    payment: Payment,
    asked: FollowUp,
    entry: Pick<Entry, "operation" | "transactionId" | "refunds" | "isAfterSettlement">,
  ): Judged {
    if (decision.kind === "refuse")
      return { code: decision.code, entry: undefined, durable: this.#ledger.flushed() };
    return this.#record(decision.kind === "decline" ? decision.code : null, {
      ...aboutOf(payment),
      ...entry,
      conversationId: asked.conversationId,
      amountMinor: Number(asked.amountMinor),
    });
  }

  #record(
    code: ErrorCode | null,
    about: Omit<Entry, "at" | "outcome" | "resultCode" | "authCode" | "hostReference">,
  ): Judged {
    const entry: Entry = {
      at: this.#time(),
      ...about,
      outcome: code === null ? "approved" : "declined",
      resultCode: code,
      authCode: code === null ? digits(6) : "",
      hostReference: digits(12),
    };
    this.#bank.apply(entry);
    return { code, entry, durable: this.#ledger.append(entry) };
  }

  #time(): string {
    return new Date(this.#now()).toISOString();
  }
}

type Charge = Required<Pick<Entry, "payment">> &
  Omit<
    Entry,
    | "at"
    | "outcome"
    | "resultCode"
    | "authCode"
    | "hostReference"
    | "transactionId"
    | "amountMinor"
    | "payment"
  >;

function aboutOf(payment: Payment) {
  return {
    orderId: payment.conversationId,
    merchantId: payment.merchantId,
    paymentId: payment.paymentId,
    basketId: payment.basketId,
    currency: payment.currency,
    pan: payment.pan,
  };
}

function forced(code: ErrorCode | undefined) {
  return code === undefined ? undefined : ({ kind: "decline", code } as const);
}

function halfOf(amountMinor: bigint): bigint {
  return amountMinor > 1n ? amountMinor / 2n : 1n;
}

function digits(count: number): string {
  return Array.from({ length: count }, () => randomInt(10)).join("");
}
