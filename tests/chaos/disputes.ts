import { setTimeout as delay } from "node:timers/promises";
import type { OperatorClient } from "./client/operator-client.ts";
import type { Random } from "./random.ts";

type Money = { paymentId: string; parentPaymentId?: string; amount: number; currency: string };
type Payment = Money & { status: string; transactionType: string; capturedAmount?: number };
type Case = { chargebackId: string; paymentId: string };

/**
 * Opens and decides chargebacks as one operator, until it is stopped. It chooses payments with pending or new
 * refunds, so that both claim the same money. A missing answer leaves the case to the next round.
 *
 * @returns the function that stops the operator; it resolves when the operator has stopped.
 */
export function startDisputes(operator: OperatorClient, random: Random): () => Promise<void> {
  const over = new AbortController();
  const working = work(operator, random, over.signal);
  return async () => {
    over.abort();
    await working;
  };
}

async function work(operator: OperatorClient, random: Random, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const moneys = random.chance(0.5) ? await waitingRefunds(operator) : await approvedPayments(operator);
    const disputed = moneys.find(() => random.chance(0.2));
    if (disputed) await open(operator, random, disputed);
    for (const one of await openCases(operator)) if (random.chance(0.3)) await decide(operator, random, one);
    await delay(ROUND_MS, undefined, { signal: over }).catch(() => undefined);
  }
}

const ROUND_MS = 700;

async function waitingRefunds(operator: OperatorClient): Promise<Money[]> {
  const { body } = await operator.read("/operator/refunds?status=PENDING_APPROVAL&limit=50");
  return (body as { items?: Money[] } | undefined)?.items ?? [];
}

async function approvedPayments(operator: OperatorClient): Promise<Money[]> {
  const { body } = await operator.read("/operator/payments?limit=50");
  const { items = [] } = (body ?? {}) as { items?: { payment: Payment }[] };
  return items.map(({ payment }) => ({ ...payment, amount: paidAmount(payment) }));
}

/** The amount paid. An authorization pays nothing before its capture, which may be of less. */
function paidAmount({ status, transactionType, amount, capturedAmount = 0 }: Payment): number {
  if (status === "CAPTURED") return capturedAmount;
  return status === "SUCCESS" && transactionType === "PAYMENT" ? amount : 0;
}

async function openCases(operator: OperatorClient): Promise<Case[]> {
  const { body } = await operator.read("/operator/chargebacks?status=OPEN&limit=50");
  return (body as { items?: Case[] } | undefined)?.items ?? [];
}

/**
 * Opens a chargeback over the whole amount of the payment or of the waiting refund, or over half; never over more than
 * was paid.
 */
async function open(operator: OperatorClient, random: Random, money: Money): Promise<void> {
  const { paymentId, parentPaymentId, currency } = money;
  const { body } = await operator.read(`/operator/payments/${parentPaymentId ?? paymentId}`);
  const { payment } = (body ?? {}) as { payment?: Payment };
  const amount = Math.min(money.amount, payment ? paidAmount(payment) : 0);
  if (amount === 0) return;
  const half = Math.floor(amount / 2);
  await operator.change({
    action: "chargeback.opened",
    method: "POST",
    path: `/operator/payments/${parentPaymentId ?? paymentId}/chargebacks`,
    body: { amount: half >= 1 && random.chance(0.5) ? half : amount, currency, reasonCode: "10.4" },
    subjectIn: "chargebackId",
  });
}

async function decide(operator: OperatorClient, random: Random, { chargebackId }: Case): Promise<void> {
  await operator.change({
    action: "chargeback.decided",
    method: "POST",
    path: `/operator/chargebacks/${chargebackId}/outcome`,
    body: {
      outcome: random.weighted({ WON: 1, LOST: 1, WITHDRAWN: 1 }),
      reason: "The bank wrote so.",
    },
    subject: chargebackId,
  });
}
