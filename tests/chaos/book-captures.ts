import { setTimeout as delay } from "node:timers/promises";
import type { OperatorClient } from "./client/operator-client.ts";

type Unresolved = {
  payment: { paymentId: string; lastOperation?: { type: string; status: string } };
  lastInquiry?: string;
  resolution?: object;
};

/**
 * Two people book the captures that a bank has carried out in part, until they are stopped. The product leaves those to
 * people, who say that it was done, and books what the bank says it took.
 *
 * @returns the function that stops them; it resolves when that has happened.
 */
export function startBooking(first: OperatorClient, second: OperatorClient): () => Promise<void> {
  const over = new AbortController();
  const working = work(first, second, over.signal);
  return async () => {
    over.abort();
    await working;
  };
}

async function work(first: OperatorClient, second: OperatorClient, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const { body } = await first.read("/operator/payments?unresolved=true&limit=50");
    const { items = [] } = (body ?? {}) as { items?: Unresolved[] };
    for (const { payment, resolution } of items.filter(isTakenInPart)) {
      const [person, action] = resolution
        ? ([second, "payment.resolved"] as const)
        : ([first, "payment.resolution_proposed"] as const);
      await person.change({
        action,
        method: "POST",
        path: `/operator/payments/${payment.paymentId}/resolve`,
        body: { outcome: "SUCCESS", evidence: "The bank wrote so." },
        subject: payment.paymentId,
      });
    }
    await delay(ROUND_MS, undefined, { signal: over }).catch(() => undefined);
  }
}

const ROUND_MS = 500;

function isTakenInPart({ payment: { lastOperation }, lastInquiry }: Unresolved): boolean {
  const { type, status } = lastOperation ?? {};
  return type === "CAPTURE" && status === "PENDING" && lastInquiry === "mismatch";
}
