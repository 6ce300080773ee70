import type { BankLine } from "../ledgers.ts";
import { parseLines } from "./bank-order.ts";

/** A line of iyzico's ledger, as far as it is read (tools/bank-simulator/src/protocols/iyzico/README.md, Ledger). */
type IyzicoLine = {
  sequence: number;
  at: string;
  operation: "authorize" | "sale" | "capture" | "void" | "refund";
  transactionId: string;
  hostReference: string;
  /** Our reference of the payment. */
  basketId: string;
  /** Our reference of the call, for captures, cancels and refunds. */
  conversationId: string;
  amountMinor: number;
  currency: string;
  outcome: "approved" | "declined";
  authCode: string;
  resultCode: string | null;
  requestedMinor?: number;
  payment?: { priceMinor: number };
};

/** iyzico's ledger in the words of the checker. It names each movement by our own reference, so nothing is guessed. */
export function iyzicoLines(text: string, accountId: string): BankLine[] {
  return parseLines<IyzicoLine>(text).map((line) => {
    const { sequence, at, amountMinor, currency, outcome, transactionId, authCode, resultCode } = line;
    const askedMinor = line.payment?.priceMinor ?? line.requestedMinor;
    return {
      accountId,
      sequence,
      at,
      ...namesOf(line),
      amountMinor: BigInt(amountMinor),
      ...(askedMinor !== undefined && { requestedMinor: BigInt(askedMinor) }),
      currency,
      outcome,
      externalTransactionId: transactionId,
      otherName: line.hostReference,
      authCode,
      resultCode: resultCode ?? "success",
    };
  });
}

function namesOf({
  operation,
  basketId,
  conversationId,
}: IyzicoLine): Pick<BankLine, "operation" | "reference" | "parentReference"> {
  if (operation === "authorize" || operation === "sale")
    return { operation, reference: basketId, parentReference: null };
  const isReversal = operation === "void" && conversationId === `${basketId}:reverse`;
  if (isReversal) return { operation: "reverse", reference: basketId, parentReference: basketId };
  return {
    operation: operation === "void" ? "cancel" : operation,
    reference: conversationId,
    parentReference: basketId,
  };
}
