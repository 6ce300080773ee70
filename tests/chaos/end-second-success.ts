import { linesOfPayment, panelOrderOf, type PanelLine } from "./lines-of-payment.ts";
import { postToBank } from "./post-to-bank.ts";
import type { ForeignBank } from "./system/foreign-banks.ts";

/**
 * Finds in the banks' panels whether a payment took effect twice, as an operator would. One of two valid ones
 * is voided there, and the product ends the other by itself. Settled ones are both refunded there, and the
 * operators resolve the payment as failed.
 *
 * @returns the operators' outcome for the payment; undefined if they have none to give.
 */
export async function endSecondSuccess(
  banks: readonly ForeignBank[],
  paymentId: string,
): Promise<"FAILED" | undefined> {
  for (const bank of banks) {
    const lines = await linesOfPayment(bank, paymentId);
    const standing = standingIn(lines);
    const second = standing.at(-1);
    if (!second || standing.length < 2) continue;
    const { transactionId: name } = second;
    if (await postToBank(`${bank.url}/panel/voids`, { order: panelOrderOf(second), name })) return undefined;
    const refunds = lines.filter(
      ({ operation, outcome }) => operation === "refund" && outcome === "approved",
    );
    for (const each of standing.slice(refunds.length))
      await postToBank(`${bank.url}/panel/refunds`, {
        order: panelOrderOf(each),
        amountMinor: each.amountMinor,
      });
    return "FAILED";
  }
  return undefined;
}

function standingIn(lines: readonly PanelLine[]): PanelLine[] {
  const approved = lines.filter(({ outcome }) => outcome === "approved");
  const voided = new Set(
    approved
      .filter(({ operation }) => operation === "void")
      .map(({ paymentId, transactionId }) => paymentId ?? transactionId),
  );
  return approved.filter(
    ({ operation, transactionId }) =>
      (operation === "sale" || operation === "authorize") && !voided.has(transactionId),
  );
}
