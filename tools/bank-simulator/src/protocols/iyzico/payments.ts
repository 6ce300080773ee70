import type { Book, Order, Row } from "../../core/index.ts";
import { commissions, spread, sumOf, type Commission } from "./fees.ts";
import type { Entry, Event, PaymentFacts, PaymentLine, ThreeDsStarted } from "./ledger-line.ts";

/** The authentication of a payment. The return's status is null while the cardholder has not answered. */
export type ThreeDs = ThreeDsStarted & {
  returnStatus: "success" | "failure" | null;
  mdStatus: string | null;
};

type Known = { line: PaymentLine; threeDs: ThreeDs | undefined };

/** A payment as the book has it by now. */
export type Payment = Known & {
  order: Order<Entry> | undefined;
  /** Undefined before the end of 3-D Secure. */
  row: Row<Entry> | undefined;
  /** The card's amount; after a capture, the captured one. */
  paidMinor: bigint;
  phase: "AUTH" | "PRE_AUTH" | "POST_AUTH";
  fraudStatus: number;
};

/** The names of payments beside the book's: their conversations, their items and the sessions of 3-D Secure. */
export class Payments {
  readonly #byId = new Map<string, Known>();
  readonly #byItem = new Map<string, Known>();
  readonly #byToken = new Map<string, ThreeDs>();
  readonly #byConversation = new Map<string, Known[]>();
  /** All approved lines. The book keeps only the open day's lines. */
  readonly movements: Entry[] = [];
  #lastId = FIRST_ID;

  /** An id that no payment, item or refund has had: digits, as iyzico's. */
  nextId(): string {
    this.#lastId += 1;
    return String(this.#lastId);
  }

  takeLine(line: Entry): void {
    this.#see(line.transactionId);
    for (const { refundTxId } of line.refunds ?? []) this.#see(refundTxId);
    if (line.payment) this.#keep({ ...line, payment: line.payment }, undefined);
    if (line.outcome === "approved") this.movements.push(line);
  }

  takeEvent(event: Event): void {
    if (event.kind === "started") {
      const threeDs = { ...event, returnStatus: null, mdStatus: null };
      this.#byToken.set(event.token, threeDs);
      this.#keep(event.line, threeDs);
      return;
    }
    const { status, mdStatus, token } = event;
    const threeDs = this.#byToken.get(token);
    if (threeDs) Object.assign(threeDs, { returnStatus: status, mdStatus });
  }

  ofId(id: string): Known | undefined {
    return this.#byId.get(id);
  }

  ofItem(paymentTransactionId: string): Known | undefined {
    return this.#byItem.get(paymentTransactionId);
  }

  ofToken(token: string): ThreeDs | undefined {
    return this.#byToken.get(token);
  }

  /** All payments under a conversationId, oldest first: it is not unique. */
  ofConversation(merchantId: string, conversationId: string): readonly Known[] {
    return this.#byConversation.get(`${merchantId} ${conversationId}`) ?? [];
  }

  #keep(line: PaymentLine, threeDs: ThreeDs | undefined): void {
    const started = this.#byId.get(line.paymentId);
    if (started) {
      started.line = line;
      return;
    }
    const known = { line, threeDs };
    this.#byId.set(this.#see(line.paymentId), known);
    for (const item of line.payment.items) this.#byItem.set(this.#see(item.paymentTransactionId), known);
    const conversation = `${line.merchantId} ${line.orderId}`;
    const others = this.#byConversation.get(conversation);
    if (others) others.push(known);
    else this.#byConversation.set(conversation, [known]);
  }

  #see(id: string): string {
    this.#lastId = Math.max(this.#lastId, Number(id));
    return id;
  }
}

const FIRST_ID = 25_000_000;

/** @returns undefined for a payment of another merchant, which does not exist for this one */
export function seenBy(book: Book<Entry>, merchantId: string, known: Known | undefined): Payment | undefined {
  if (known?.line.merchantId !== merchantId) return undefined;
  const order = book.order(merchantId, known.line.paymentId);
  return paymentOf(known, order);
}

/** A payment with its order, or, without one, as its line begins it. */
export function paymentOf({ line, threeDs }: Known, order?: Order<Entry>): Payment {
  const row = order?.rows.find(({ kind }) => kind === "payment");
  const isCaptured = row?.capture !== undefined;
  return {
    line,
    threeDs,
    order,
    row,
    paidMinor: isCaptured ? row.capturedMinor : BigInt(line.amountMinor),
    phase: line.operation === "sale" ? "AUTH" : isCaptured ? "POST_AUTH" : "PRE_AUTH",
    fraudStatus: line.payment.fraudStatus,
  };
}

type Refund = { line: Entry; refundTxId: string; amountMinor: bigint };

/** An item of a basket with its part of the payment. `leftMinor` can be refunded. */
export type Item = Omit<PaymentFacts["items"][number], "priceMinor"> &
  Commission & { priceMinor: bigint; paidMinor: bigint; refunds: Refund[]; leftMinor: bigint };

export function itemsOf({ line, paidMinor, order }: Pick<Payment, "line" | "paidMinor" | "order">): Item[] {
  const { items } = line.payment;
  const shares = spread(
    paidMinor,
    items.map(({ priceMinor }) => BigInt(priceMinor)),
  );
  const fees = commissions(shares);
  const refunds = order?.rows.filter(({ kind }) => kind === "refund").map((row) => row.line) ?? [];
  return items.map((item, index) => {
    const own = refunds.flatMap((refund) => partsOf(refund, item.paymentTransactionId));
    return {
      ...item,
      ...fees[index]!,
      priceMinor: BigInt(item.priceMinor),
      paidMinor: shares[index]!,
      refunds: own,
      leftMinor: shares[index]! - sumOf(own.map(({ amountMinor }) => amountMinor)),
    };
  });
}

/** A declined refund has no parts. */
function partsOf(line: Entry, paymentTransactionId: string): Refund[] {
  return (line.refunds ?? [])
    .filter((part) => part.paymentTransactionId === paymentTransactionId)
    .map(({ refundTxId, amountMinor }) => ({ line, refundTxId, amountMinor: BigInt(amountMinor) }));
}
