import type { Found, Ledgers } from "../ledgers.ts";
import { eventIdOf, tellingOfPayments } from "./received-webhook.ts";

/** Invariant 20, of webhooks. A merchant's events come to that merchant's receiver and to no other. */
export function webhooksReachTheirMerchantOnly({ received, outbox, rules }: Ledgers): Found[] {
  const owners = new Map(outbox.map(({ eventId, merchantId }) => [eventId, merchantId]));
  return tellingOfPayments(received).flatMap((webhook) => {
    const eventId = eventIdOf(webhook);
    const owner = owners.get(eventId);
    const receiver = rules.receivers.find(({ path }) => path === webhook.path)?.merchantId;
    if (owner === undefined || owner === receiver) return [];
    return [
      { ids: [eventId, owner], what: `came to ${receiver ?? "nobody's path"}, and is another merchant's` },
    ];
  });
}
