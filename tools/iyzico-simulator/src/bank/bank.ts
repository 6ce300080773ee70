import { itemShares } from "./bank-rules.ts";
import type { ThreeDsReturned, ThreeDsStarted } from "./event-line.ts";
import type { Entry, ItemFacts } from "./ledger-line.ts";
import type { Payment, PaymentItem } from "./payment.ts";

/** An entry of the ledger with its sequence and the payment it is about. */
export type Movement = Entry & { sequence: number; about: Payment };

/** A closed business day: the ledger's lines after the one before and up to `throughSequence`. */
export type Closing = { number: number; at: string; fromSequence: number; throughSequence: number };

/**
 * The bank's state. It is derived from the ledger and the file of events alone, so that a restart can rebuild it:
 * events first, then the ledger, then the closings.
 */
export class Bank {
  readonly #payments = new Map<string, Payment>();
  readonly #byConversation = new Map<string, Payment[]>();
  readonly #byTransaction = new Map<string, Payment>();
  readonly #byToken = new Map<string, Payment>();
  /** Approved movements, in the ledger's order. */
  readonly #movements: Movement[] = [];
  readonly #closings: Closing[] = [];
  #sequence = 0;
  #lastId = FIRST_ID;

  /** The ledger's sequence of the last entry that was applied, 0 before the first. */
  get sequence(): number {
    return this.#sequence;
  }

  get closings(): readonly Closing[] {
    return this.#closings;
  }

  get movements(): readonly Movement[] {
    return this.#movements;
  }

  /** An id that no payment, item or refund has had: digits, as iyzico's. */
  nextId(): string {
    this.#lastId += 1;
    return String(this.#lastId);
  }

  /** The payment of a merchant; another merchant's does not exist for it. */
  payment(merchantId: string, paymentId: string): Payment | undefined {
    return ofMerchant(merchantId, this.#payments.get(paymentId));
  }

  /** All payments under a conversationId, oldest first: it is not unique. */
  ofConversation(merchantId: string, conversationId: string): readonly Payment[] {
    return this.#byConversation.get(conversationKey({ merchantId, conversationId })) ?? [];
  }

  ofTransaction(merchantId: string, paymentTransactionId: string): Payment | undefined {
    return ofMerchant(merchantId, this.#byTransaction.get(paymentTransactionId));
  }

  ofToken(token: string): Payment | undefined {
    return this.#byToken.get(token);
  }

  start(event: ThreeDsStarted & { at: string }): Payment {
    const { token, callbackUrl, conversationData, plan, at, items, priceMinor, paidPriceMinor } = event;
    const payment: Payment = {
      ...unjudged,
      paymentId: event.paymentId,
      merchantId: event.merchantId,
      conversationId: event.conversationId,
      basketId: event.basketId,
      operation: event.operation,
      currency: event.currency,
      installment: event.installment,
      pan: event.pan,
      buyerId: event.buyerId,
      ip: event.ip,
      priceMinor: BigInt(priceMinor),
      paidPriceMinor: BigInt(paidPriceMinor),
      items: itemsOf(items, BigInt(paidPriceMinor)),
      createdAt: at,
      refusesFollowUps: plan.refusesFollowUps,
      threeDs: { token, callbackUrl, conversationData, plan, mdStatus: null, returnStatus: null },
      state: "initialized",
    };
    this.#keep(payment);
    this.#byToken.set(token, payment);
    return payment;
  }

  return({ paymentId, status, mdStatus }: ThreeDsReturned): void {
    const payment = this.#payments.get(paymentId);
    if (!payment?.threeDs) return;
    payment.threeDs.returnStatus = status;
    payment.threeDs.mdStatus = mdStatus;
    payment.state = "returned";
  }

  /** Applies an entry that `bank-rules.ts` has decided on, now or before a restart. */
  apply(entry: Entry): void {
    this.#sequence += 1;
    const isNew = entry.operation === "authorize" || entry.operation === "sale";
    const payment = isNew ? this.#openPayment(entry) : this.#payments.get(entry.paymentId);
    if (!payment) throw new Error("the ledger has a line about a payment that it does not have");
    if (entry.outcome === "declined") return;
    this.#movements.push({ ...entry, sequence: this.#sequence, about: payment });
    if (!isNew) this.#applyFollowUp(payment, entry);
  }

  /** Closes a business day up to a line of the ledger. */
  close(at: string, throughSequence: number): Closing {
    const fromSequence = this.#closings.at(-1)?.throughSequence ?? 0;
    const closing = { number: this.#closings.length + 1, at, fromSequence, throughSequence };
    this.#closings.push(closing);
    for (const { about } of this.movementsOf(closing)) {
      // At a restart the ledger is applied before the closings, so a capture may be later than this one.
      if (about.daySequence <= throughSequence) about.isDayOver = true;
    }
    return closing;
  }

  /** The approved movements of a business day. */
  movementsOf({ fromSequence, throughSequence }: Closing): Movement[] {
    return this.#movements.filter(({ sequence }) => sequence > fromSequence && sequence <= throughSequence);
  }

  #openPayment(entry: Entry): Payment {
    const known = this.#payments.get(entry.paymentId);
    const facts = entry.payment;
    if (!facts) throw new Error("the ledger has an authorization or a sale without its payment");
    const paidPriceMinor = BigInt(entry.amountMinor);
    const payment: Payment = Object.assign(known ?? ({} as Payment), {
      ...unjudged,
      paymentId: entry.paymentId,
      merchantId: entry.merchantId,
      conversationId: entry.orderId,
      basketId: entry.basketId,
      operation: entry.operation as Payment["operation"],
      currency: entry.currency,
      installment: facts.installment,
      pan: entry.pan,
      buyerId: facts.buyerId,
      ip: facts.ip,
      priceMinor: BigInt(facts.priceMinor),
      paidPriceMinor,
      items: itemsOf(facts.items, paidPriceMinor),
      createdAt: facts.createdAt,
      threeDs: known?.threeDs,
      state: entry.outcome,
      resultCode: entry.resultCode,
      authCode: entry.authCode,
      hostReference: entry.hostReference,
      fraudStatus: facts.fraudStatus,
      refusesFollowUps: facts.refusesFollowUps,
      daySequence: this.#sequence,
    });
    if (!known) this.#keep(payment);
    return payment;
  }

  #applyFollowUp(payment: Payment, entry: Entry): void {
    const { conversationId, at, authCode, hostReference, isAfterSettlement = false } = entry;
    const amountMinor = BigInt(entry.amountMinor);
    const record = { conversationId, at, authCode, hostReference };
    if (entry.operation === "capture") {
      payment.isCaptured = true;
      // The day of a capture is the day of its money.
      payment.isDayOver = false;
      payment.daySequence = this.#sequence;
      payment.paidPriceMinor = amountMinor;
      const shares = itemShares(
        amountMinor,
        payment.items.map(({ priceMinor }) => priceMinor),
      );
      payment.items.forEach((item, index) => (item.paidPriceMinor = shares[index] ?? 0n));
    } else if (entry.operation === "void") {
      payment.cancel = { ...record, amountMinor, refundId: this.#seen(entry.transactionId) };
    } else {
      for (const part of entry.refunds ?? []) {
        const refundTxId = this.#seen(part.refundTxId);
        const refund = { ...record, refundTxId, amountMinor: BigInt(part.amountMinor), isAfterSettlement };
        payment.items
          .find(({ paymentTransactionId }) => paymentTransactionId === part.paymentTransactionId)
          ?.refunds.push(refund);
      }
    }
  }

  #keep(payment: Payment): void {
    this.#payments.set(this.#seen(payment.paymentId), payment);
    for (const item of payment.items) this.#byTransaction.set(this.#seen(item.paymentTransactionId), payment);
    const key = conversationKey(payment);
    const known = this.#byConversation.get(key);
    if (known) known.push(payment);
    else this.#byConversation.set(key, [payment]);
  }

  #seen(id: string): string {
    this.#lastId = Math.max(this.#lastId, Number(id));
    return id;
  }
}

const FIRST_ID = 25_000_000;

function itemsOf(facts: readonly ItemFacts[], paidPriceMinor: bigint): PaymentItem[] {
  const prices = facts.map(({ priceMinor }) => BigInt(priceMinor));
  const shares = itemShares(paidPriceMinor, prices);
  return facts.map(({ itemId, paymentTransactionId }, index) => ({
    itemId,
    paymentTransactionId,
    priceMinor: prices[index] ?? 0n,
    paidPriceMinor: shares[index] ?? 0n,
    refunds: [],
  }));
}

function ofMerchant(merchantId: string, payment: Payment | undefined): Payment | undefined {
  return payment?.merchantId === merchantId ? payment : undefined;
}

function conversationKey({ merchantId, conversationId }: { merchantId: string; conversationId: string }) {
  return `${merchantId} ${conversationId}`;
}

const unjudged = {
  resultCode: null,
  authCode: "",
  hostReference: "",
  fraudStatus: 1,
  isCaptured: false,
  cancel: undefined,
  isDayOver: false,
  daySequence: 0,
};
