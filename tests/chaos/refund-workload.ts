import { setTimeout as delay } from "node:timers/promises";
import type { SentRefund } from "../checker/index.ts";
import { askForRefund } from "./client/ask-for-refund.ts";
import type { MerchantClient } from "./client/merchant-client.ts";
import type { OperatorClient } from "./client/operator-client.ts";
import { requestForMerchant } from "./operators-at-work.ts";
import type { Random } from "./random.ts";

/** The refunds of a successful payment: one after another, or all at the same moment. */
export type PlannedRefunds = {
  afterMs: number;
  atOnce: boolean;
  refunds: PlannedRefund[];
};

export type PlannedRefund = {
  amount: string;
  key?: string;
  /** The number of further copies of the request, sent at the same moment over both gateways. */
  copies: number;
  /** An operator asks on the merchant's behalf. */
  byOperator: boolean;
};

/** @param paid the most that can be refunded: the order's amount, or its captured part. */
export function planRefunds(
  random: Random,
  { orderId, paid, currency }: { orderId: string; paid: string; currency: string },
): PlannedRefunds {
  const atOnce = random.chance(0.5);
  // Six refunds of 60 % each, of which one fits.
  const share = atOnce && random.chance(0.3) ? 0.6 : undefined;
  const count = share === undefined ? random.integer(1, 3) : 6;
  return {
    afterMs: random.integer(0, 3_000),
    atOnce,
    refunds: Array.from({ length: count }, (_, index) => ({
      amount: share === undefined ? drawAmount(random, paid, currency) : partOf(paid, share),
      ...(random.chance(0.6) && { key: `refund-${orderId}-${index}` }),
      copies: random.chance(0.15) ? random.integer(1, 5) : 0,
      byOperator: random.chance(0.1),
    })),
  };
}

/**
 * The amount of a refund: all, more than that, or a part. In currencies with cents, the last two digits
 * determine the bank's failure.
 */
function drawAmount(random: Random, paid: string, currency: string): string {
  const kind = random.weighted({ part: 6, fault: 2, all: 2, tooMuch: 1 });
  const hasCents = currency === "TRY" || currency === "EUR";
  if (kind === "all") return paid;
  if (kind === "tooMuch") return `${wholeOf(paid) + 1}`;
  if (kind === "fault" && hasCents) return random.pick(["0.91", "0.92", "0.93", "0.94", "0.95"]);
  return partOf(paid, random.pick([0.1, 0.25, 0.5]));
}

/** A part of the amount, at least the smallest whole amount. */
function partOf(paid: string, share: number): string {
  return `${Math.max(1, Math.floor(wholeOf(paid) * share))}`;
}

function wholeOf(amount: string): number {
  return Number(amount.split(".")[0]);
}

/** Asks for all of them, and resolves when each was answered or left alone. */
export async function placeRefunds(
  client: MerchantClient,
  operator: OperatorClient,
  { paymentId, currency, gateway }: { paymentId: string; currency: string; gateway: number },
  { afterMs, atOnce, refunds }: PlannedRefunds,
): Promise<void> {
  await delay(afterMs);
  const place = async ({ amount, key, copies, byOperator }: PlannedRefund) => {
    const refund: SentRefund = { paymentId, amount, currency };
    if (byOperator) {
      await requestForMerchant(operator, refund);
      return;
    }
    const via = { gateway, ...(key !== undefined && { key }) };
    const copy = (index: number) => client.refund(refund, { ...via, gateway: gateway + index + 1 });
    await Promise.all([
      askForRefund(client, refund, via),
      // Without a key each copy would be a refund of its own.
      ...Array.from({ length: key === undefined ? 0 : copies }, (_, index) => copy(index)),
    ]);
  };
  if (atOnce) await Promise.all(refunds.map(place));
  else for (const refund of refunds) await place(refund);
}
