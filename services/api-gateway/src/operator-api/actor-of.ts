import type { Exchange, Operator } from "../http/exchange.ts";
import type { Actor } from "../merchant/merchant-queries.ts";

/** The operator whom an audit entry names. */
export function actorOf({ exchange, caller }: { exchange: Exchange; caller: Operator }): Actor {
  return { subject: caller.subject, person: caller.person, requestId: exchange.requestId };
}
