import type { Found, Ledgers } from "../ledgers.ts";
import { bodyFieldsOf, eventIdOf, tellingOfPayments } from "./received-webhook.ts";

/** Invariant 18. A webhook is about a final state, and one that had been committed before it came. */
export function onlyCommittedEndsAreTold({ received, outbox }: Ledgers): Found[] {
  const committed = new Map(outbox.map((row) => [row.eventId, row]));
  return tellingOfPayments(received).flatMap((webhook) => {
    const eventId = eventIdOf(webhook);
    const status = String(bodyFieldsOf(webhook)["status"]);
    const row = committed.get(eventId);
    const ids = [eventId];
    if (!FINAL.has(status)) return [{ ids, what: `tells of ${status}` }];
    if (!row) return [{ ids, what: "was never committed" }];
    return row.occurredAt <= webhook.arrivedAt ? [] : [{ ids, what: "came before its commit" }];
  });
}

const FINAL: ReadonlySet<string> = new Set(["SUCCESS", "FAILED", "REJECTED", "CANCELLED"]);
