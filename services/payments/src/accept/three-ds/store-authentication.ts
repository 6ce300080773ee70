import type { CompletionOutcome, Verdict } from "@holdfast/acquirer";
import type { Kysely } from "kysely";
import type { BusinessEvents } from "../../payment/business-events.ts";
import type { PaymentsDatabase } from "../../database.ts";
import { saveAuthentication } from "./session-queries.ts";

/** Stores the acquirer's result of the authentication, evidence for a dispute. A failure never delays the payment. */
export async function storeAuthentication(
  { db, events }: { db: Kysely<PaymentsDatabase>; events: BusinessEvents },
  payment: Parameters<BusinessEvents["writeFailed"]>[1],
  outcome: CompletionOutcome | Verdict,
): Promise<void> {
  if (!("authentication" in outcome) || !outcome.authentication) return;
  try {
    await saveAuthentication(db, payment.payment_id, outcome.authentication);
  } catch (error) {
    events.writeFailed("record", payment, error);
  }
}
