import type { IncomingMessage, ServerResponse } from "node:http";

import { challengePage, returnPage, type AcsSession } from "./acs.ts";
import type { Sessions } from "./sessions.ts";
import type { Counter } from "./start-bank.ts";

/** The interface of a bank with an API and a gate for 3-D Secure. @param calls by method and path */
export function gateCounter<Entry, Session, Desk extends { sessions: Sessions<Session> }>(
  desk: Desk,
  calls: Readonly<
    Record<string, (desk: Desk, request: IncomingMessage, response: ServerResponse) => Promise<void>>
  >,
  acsOf: (desk: Desk, session: Session) => AcsSession,
  refundInPanel: (desk: Desk, ...refund: Parameters<Counter<Entry>["refundInPanel"]>) => Promise<boolean>,
): Counter<Entry> {
  return {
    route: async (target, _query, request, response) => {
      const call = Object.hasOwn(calls, target) ? calls[target] : undefined;
      await call?.(desk, request, response);
      return call !== undefined;
    },
    refundInPanel: (order, amountMinor) => refundInPanel(desk, order, amountMinor),
    findSession: (id) => {
      const session = desk.sessions.find(id);
      return session && acsOf(desk, session);
    },
  };
}

/** The page that a form of 3-D Secure is answered with: the issuer's, or the return where there is nothing to ask. */
export async function gatePage(session: AcsSession, publicUrl: string, request: IncomingMessage) {
  return session.isOpen ? challengePage(session, publicUrl) : returnPage(await session.back(false, request));
}
