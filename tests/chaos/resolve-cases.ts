import { setTimeout as delay } from "node:timers/promises";
import type { OperatorClient } from "./client/operator-client.ts";
import { endSecondSuccess } from "./end-second-success.ts";
import type { System } from "./system/system.ts";

type Unresolved = {
  payment: { paymentId: string; lastOperation?: { type: string; status: string } };
  lastInquiry?: string;
  resolution?: object;
};

/**
 * Lets two operators resolve, until they are stopped, the cases that the product leaves to people. Captures
 * that a bank has carried out in part are booked with the bank's amount. Payments that it has carried out
 * twice are ended. Authorizations that it no longer voids, since their day is over, count as valid.
 *
 * @returns the function that stops them; it resolves when they have stopped.
 */
export function startResolving(
  banks: System["banks"],
  people: readonly [OperatorClient, OperatorClient],
): () => Promise<void> {
  const over = new AbortController();
  const working = work(banks, people, over.signal);
  return async () => {
    over.abort();
    await working;
  };
}

async function work(
  banks: System["banks"],
  [first, second]: readonly [OperatorClient, OperatorClient],
  over: AbortSignal,
): Promise<void> {
  while (!over.aborted) {
    const { body } = await first.read("/operator/payments?unresolved=true&limit=50");
    const { items = [] } = (body ?? {}) as { items?: Unresolved[] };
    for (const one of items.filter(isForPeople)) {
      const { paymentId } = one.payment;
      const stands = isTakenInPart(one) || one.lastInquiry === REFUSED;
      const outcome = stands ? "SUCCESS" : await endSecondSuccess(banks, paymentId);
      if (!outcome) continue;
      const [person, action] = one.resolution
        ? ([second, "payment.resolved"] as const)
        : ([first, "payment.resolution_proposed"] as const);
      await person.change({
        action,
        method: "POST",
        path: `/operator/payments/${paymentId}/resolve`,
        body: { outcome, evidence: "The bank wrote so." },
        subject: paymentId,
      });
    }
    await delay(ROUND_MS, undefined, { signal: over }).catch(() => undefined);
  }
}

const ROUND_MS = 500;
const REFUSED = "reversal_refused";

function isForPeople({ lastInquiry = "" }: Unresolved): boolean {
  return lastInquiry.endsWith("mismatch") || lastInquiry === REFUSED;
}

function isTakenInPart({ payment: { lastOperation } }: Unresolved): boolean {
  const { type, status } = lastOperation ?? {};
  return type === "CAPTURE" && status === "PENDING";
}
