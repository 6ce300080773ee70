import type { CompletionOutcome, InquiryOutcome } from "@holdfast/acquirer";
import type { Kysely } from "kysely";
import type { BusinessEvents } from "../business-events.ts";
import type { PaymentsDatabase } from "../database.ts";
import { saveAuthentication } from "./session-queries.ts";

/** Keeps what the acquirer says of a payment's authentication: evidence for a dispute, for which the money never waits. */
export async function keepAuthentication(
  { db, events }: { db: Kysely<PaymentsDatabase>; events: BusinessEvents },
  payment: Parameters<BusinessEvents["writeFailed"]>[1],
  outcome: CompletionOutcome | InquiryOutcome,
): Promise<void> {
  if (!("authentication" in outcome) || !outcome.authentication) return;
  try {
    await saveAuthentication(db, payment.payment_id, outcome.authentication);
  } catch (error) {
    events.writeFailed("record", payment, error);
  }
}
