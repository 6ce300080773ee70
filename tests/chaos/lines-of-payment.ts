import { namedBy } from "@holdfast/acquirer";

/** A line of a bank's ledger, as far as a person looks at it (tools/bank-simulator/README.md). */
export type PanelLine = {
  operation: string;
  orderId: string;
  transactionId: string;
  /** The bank's name of the line's payment, if the bank treats each payment as an order. */
  paymentId?: string;
  amountMinor: number;
  outcome: string;
};

/** The name of an order in the bank's panel. */
export function panelOrderOf({ orderId, paymentId }: PanelLine): string {
  return paymentId ?? orderId;
}

/** A bank's lines of a payment's order, in whatever form it has our id. */
export async function linesOfPayment({ url }: { url: string }, paymentId: string): Promise<PanelLine[]> {
  const answer = await fetch(`${url}/ledger`, { signal: AbortSignal.timeout(30_000) });
  const lines = (await answer.text()).split("\n").filter((text) => text !== "");
  return lines
    .map((text) => JSON.parse(text) as PanelLine)
    .filter(({ orderId }) => namedBy(orderId)?.id === paymentId);
}
