import type { BankLine } from "../ledgers.ts";
import type { PaymentRow, RefundRow, StoredRows } from "../stored-rows.ts";
import { againOf } from "../bank-lines.ts";
import { isShortOrder, parseLines, paymentIdOfOrder } from "./bank-order.ts";

/** A line of a bank's ledger, as far as it is read (the READMEs in tools/bank-simulator/src/protocols, Ledger). */
type Line = {
  sequence: number;
  at: string;
  operation: "authorize" | "sale" | "capture" | "void" | "refund";
  orderId: string;
  transactionId: string;
  amountMinor: number;
  requestedMinor?: number;
  currency: string;
  outcome: "approved" | "declined";
  authCode: string | null;
  resultCode: string | null;
  voided?: "hold" | "sale" | "capture" | "credit" | null;
  uncalled?: "again" | "panel";
};

/** A line of a bank that knows our references: of the payment, and of a capture's, a cancellation's or a refund's call. */
type ReferencedLine = Line & {
  basketId: string;
  paymentId: string;
  conversationId: string;
  hostReference: string;
  payment?: { priceMinor: number };
};

type Rows = Pick<StoredRows, "payments" | "paymentHistory" | "refunds" | "approvals" | "bankCalls">;

/**
 * Translates a bank's ledger for the checker. A bank that knows only the order's reference does not say which
 * refund a movement belongs to. Each of our refunds therefore explains one movement of its amount, in the
 * order of their approvals. A movement that is left over belongs to no refund, and a refund without a
 * movement was not paid; both break their promises.
 */
export function foreignBankLines(text: string, accountId: string, rows: Rows): BankLine[] {
  const lines = parseLines<Line>(text);
  const orders = new Orders(rows, lines);
  const again = new Set<string>();
  return lines.map((line) => {
    const { sequence, at, amountMinor, requestedMinor, currency, outcome, authCode, resultCode } = line;
    const named = isReferenced(line);
    if (named && line.uncalled === "again") again.add(line.paymentId);
    const askedMinor = (named ? line.payment?.priceMinor : undefined) ?? requestedMinor;
    return {
      accountId,
      sequence,
      at,
      ...(named ? namesByReference(line, again.has(line.paymentId)) : orders.namesOf(line)),
      amountMinor: BigInt(amountMinor),
      ...(askedMinor !== undefined && { requestedMinor: BigInt(askedMinor) }),
      currency,
      outcome,
      externalTransactionId: line.transactionId,
      ...(named && { otherName: line.hostReference }),
      ...(!named && isShortOrder(line.orderId) && { otherName: captureNameOf(line) }),
      authCode,
      resultCode: resultCode ?? "success",
      uncalled: line.uncalled,
      ...(named && { isBelieved: true }),
    };
  });
}

/** A bank that knows only orders may give a capture the name of its hold, so our name has an ending. */
function captureNameOf({ operation, transactionId }: Line): string {
  return operation === "capture" ? `${transactionId}/capt` : transactionId;
}

function isReferenced(line: Line): line is ReferencedLine {
  return "conversationId" in line;
}

function namesByReference(
  { operation, basketId, conversationId, uncalled }: ReferencedLine,
  isOfAgain: boolean,
): Names {
  const payment = isOfAgain ? againOf(basketId) : basketId;
  if (operation === "authorize" || operation === "sale")
    return { operation, reference: payment, parentReference: null };
  const isReversal = uncalled === "panel" || conversationId === `${basketId}:reverse`;
  if (isReversal && operation === "void")
    return { operation: "reverse", reference: payment, parentReference: payment };
  return {
    operation: operation === "void" ? "cancel" : operation,
    reference: uncalled === "panel" ? `${payment}:reversal` : conversationId,
    parentReference: payment,
  };
}

function isRefusedVoid({ operation, outcome, voided }: Line): boolean {
  return operation === "void" && outcome === "declined" && voided !== "credit";
}

type Names = Pick<BankLine, "operation" | "reference" | "parentReference">;

/** Our payments and refunds, and which refunds have their movement already. */
class Orders {
  readonly #payments: Map<string, PaymentRow>;
  readonly #cancelled: Set<string>;
  readonly #succeeded: Set<string>;
  readonly #refunds: Map<string, RefundRow[]>;
  /**
   * For each payment that people have booked because of it, the number of voids that the bank refused before
   * any cancellation.
   */
  readonly #refusedReversals: Map<string, number>;
  readonly #paid = new Set<string>();
  /** The names of second successes, and the orders with a refund in the panel. */
  readonly #again = new Set<string>();
  readonly #givenBack = new Set<string>();

  constructor({ payments, paymentHistory, refunds, approvals, bankCalls }: Rows, lines: readonly Line[]) {
    const reached = (state: string, from?: string) =>
      new Set(
        paymentHistory
          .filter((step) => step.to === state && (from === undefined || step.from === from))
          .map(({ paymentId }) => paymentId),
      );
    this.#payments = new Map(payments.map((payment) => [payment.paymentId, payment]));
    this.#succeeded = reached("SUCCESS");
    this.#cancelled = reached("CANCELLED", "SUCCESS");
    const refusedVoids = Map.groupBy(lines.filter(isRefusedVoid), ({ orderId }) => paymentIdOfOrder(orderId));
    const cancels = Map.groupBy(
      bankCalls.filter(({ kind, outcome }) => kind === "void" && outcome === "declined"),
      ({ paymentId }) => paymentId,
    );
    // A reversal without an answer may never have reached the bank; a cancellation that was declined has, and came after it.
    this.#refusedReversals = new Map(
      [...reached("SUCCESS", "REVERSING")].map((id) => [
        id,
        (refusedVoids.get(id)?.length ?? 0) - (cancels.get(id)?.length ?? 0),
      ]),
    );
    const approvedAt = new Map(approvals.map(({ refundId, at }) => [refundId, at.getTime()]));
    const byApproval = refunds.toSorted(
      (one, other) =>
        (approvedAt.get(one.refundId) ?? Infinity) - (approvedAt.get(other.refundId) ?? Infinity),
    );
    this.#refunds = Map.groupBy(byApproval, ({ paymentId }) => paymentId);
  }

  namesOf(line: Line): Names {
    const paymentId = paymentIdOfOrder(line.orderId);
    const parentReference = paymentId;
    if (line.uncalled === "panel" || this.#again.has(line.transactionId))
      return this.#inPanel(line, paymentId);
    switch (line.operation) {
      case "authorize":
      case "sale": {
        const isAgain = line.uncalled === "again";
        if (isAgain) this.#again.add(line.transactionId);
        const reference = isAgain ? againOf(paymentId) : paymentId;
        return { operation: line.operation, reference, parentReference: null };
      }
      case "capture":
        return { operation: "capture", reference: `${paymentId}:capture`, parentReference };
      case "void":
        return this.#voidOf(line, paymentId);
      case "refund":
        return this.#refundOf(line, paymentId);
      default:
        return line.operation satisfies never;
    }
  }

  /** The end of one of two successes. A person who refunds both in the panel begins with the first. */
  #inPanel({ operation, transactionId, outcome }: Line, paymentId: string): Names {
    const isAgain = operation === "void" ? this.#again.has(transactionId) : this.#givenBack.has(paymentId);
    const reference = isAgain ? againOf(paymentId) : paymentId;
    if (operation === "void") return { operation: "reverse", reference, parentReference: reference };
    if (outcome === "approved") this.#givenBack.add(paymentId);
    return { operation: "refund", reference: `${reference}:reversal`, parentReference: reference };
  }

  /** A cancellation, a refund of the whole on its day, or a reversal; never the voiding of a refund. */
  #voidOf(line: Line, paymentId: string): Names {
    const parentReference = paymentId;
    if (line.voided === "credit")
      return { operation: "void_of_refund", reference: line.transactionId, parentReference };
    const cancel = { operation: "cancel", reference: `${paymentId}:cancel`, parentReference };
    if (this.#cancelled.has(paymentId)) return cancel;
    const refund = this.#take(line, paymentId);
    if (refund)
      return { operation: refund.kind ?? "refund", reference: `${refund.refundId}:refund`, parentReference };
    const refused = this.#refusedReversals.get(paymentId) ?? 0;
    const isOfReversal = line.outcome === "declined" && refused > 0;
    if (isOfReversal) this.#refusedReversals.set(paymentId, refused - 1);
    else if (this.#succeeded.has(paymentId)) return cancel;
    return { operation: "reverse", reference: paymentId, parentReference };
  }

  /** A refund, or a settled sale's refund in place of its reversal. */
  #refundOf(line: Line, paymentId: string): Names {
    const refund = this.#take(line, paymentId);
    const isReversal = !refund && this.#payments.get(paymentId)?.state === "FAILED";
    return {
      operation: "refund",
      reference: isReversal ? `${paymentId}:reversal` : `${refund?.refundId ?? line.transactionId}:refund`,
      parentReference: paymentId,
    };
  }

  /** The refund that a movement is; a declined one leaves it to be paid. */
  #take({ amountMinor, outcome }: Line, paymentId: string): RefundRow | undefined {
    const states = outcome === "approved" ? PAID : DECLINED;
    const found = (this.#refunds.get(paymentId) ?? []).find(
      ({ refundId, state, amountMinor: asked }) =>
        states.has(state) && asked === BigInt(amountMinor) && !this.#paid.has(refundId),
    );
    if (found && outcome === "approved") this.#paid.add(found.refundId);
    return found;
  }
}

const PAID: ReadonlySet<string> = new Set(["SUCCESS", "SETTLING", "EXECUTING"]);
const DECLINED: ReadonlySet<string> = new Set(["FAILED", "FAILING", "EXECUTING"]);
