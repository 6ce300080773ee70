import type { CommandReply } from "@holdfast/contracts";
import { orNotStarted } from "@holdfast/postgres";
import { arrivesUntil } from "../../bank/ledger/bank-call.ts";
import { findCalls } from "../../bank/ledger/call-queries.ts";
import type { RefundAtBankDeps } from "./refund-at-bank.ts";

/** Says until when a refund that was sent may still take effect at the bank. */
export async function readSending(
  { db, bank, now }: Pick<RefundAtBankDeps, "db" | "bank" | "now">,
  { paymentId, refundId }: { paymentId: string; refundId: string },
): Promise<CommandReply<{ arrivesUntil?: string | undefined }>> {
  return await orNotStarted(async () => {
    const payment = await db
      .selectFrom("payment")
      .select("account_id")
      .where("payment_id", "=", paymentId)
      .executeTakeFirst();
    if (!payment) return { outcome: "problem", code: "payment_not_found" } as const;
    const calls = await findCalls(db, paymentId);
    const own = calls.filter(({ movement_id }) => movement_id === refundId);
    const until = arrivesUntil(own, bank.termsOf(payment.account_id).horizonMs, now());
    return { outcome: "done", result: until ? { arrivesUntil: until.toISOString() } : {} } as const;
  });
}
