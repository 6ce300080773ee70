import { setTimeout as delay } from "node:timers/promises";
import { atMost } from "./at-most.ts";
import type { SentCheckout } from "../checker/index.ts";
import { visitCheckout, type BuyerDeps, type BuyerPlan } from "./client/buyer.ts";
import type { CardName } from "./client/cards.ts";
import { followCheckout, openCheckout } from "./client/check-out.ts";
import { operate } from "./client/operate.ts";
import type { Random } from "./random.ts";
import { placeRefunds, planRefunds, type PlannedRefunds } from "./refund-workload.ts";
import { drawAmount, drawOperation, type Actors } from "./workload.ts";

/** One order that its buyer pays on our page. */
export type PlannedCheckout = {
  /** The milliseconds since the run's start. */
  atMs: number;
  checkout: SentCheckout;
  gateway: number;
  key?: string;
  /** The buyer's plan; undefined if no buyer comes. */
  buyer?: BuyerPlan;
  /** The merchant's operation after the payment; without an amount it covers the whole payment. */
  operation?: { kind: "capture" | "cancel"; amount?: string };
  refunds?: PlannedRefunds;
};

/**
 * Every checkout of a run, determined by the seed alone. @param first the first one's number, if others came
 * before.
 */
export function planCheckouts(
  random: Random,
  { checkouts, seconds, first = 0 }: { checkouts: number; seconds: number; first?: number },
): PlannedCheckout[] {
  return Array.from({ length: checkouts }, (_, index) =>
    planCheckout(random, first + index, seconds),
  ).toSorted((a, b) => a.atMs - b.atMs);
}

function planCheckout(random: Random, index: number, seconds: number): PlannedCheckout {
  const orderId = `checkout-${index}`;
  const currency = random.weighted({ TRY: 6, EUR: 2, JPY: 1, KWD: 1 });
  const transactionType = random.weighted({ PAYMENT: 2, PRE_AUTHORIZATION: 1 });
  const isShort = random.chance(0.7);
  const checkout: SentCheckout = {
    orderId,
    amount: drawAmount(random, currency),
    currency,
    transactionType,
    threeDs: random.chance(0.6),
    // The other checkouts have the service's own time, which is short here: the contract allows no less than
    // a minute.
    ...(!isShort && { expiresInSeconds: random.pick([60, 600]) }),
  };
  const planned = {
    // Three unanswered challenges take half a minute, and the run must not wait for them at its end.
    atMs: random.integer(0, seconds * 700),
    checkout,
    gateway: random.integer(0, 1),
    ...(random.chance(0.6) && { key: `key-${orderId}` }),
  };
  if (random.chance(0.05)) return planned;
  const buyer = planBuyer(random, { threeDs: checkout.threeDs, isShort });
  const { amount } = checkout;
  if (random.chance(0.3))
    return { ...planned, buyer, refunds: planRefunds(random, { orderId, paid: amount, currency }) };
  if (!random.chance(0.3)) return { ...planned, buyer };
  const operation =
    transactionType === "PAYMENT" ? { kind: "cancel" as const } : drawOperation(random, currency);
  return { ...planned, buyer, operation };
}

function planBuyer(random: Random, { threeDs, isShort }: { threeDs: boolean; isShort: boolean }): BuyerPlan {
  const tabs = random.weighted({ 1: 6, 2: 3, 3: 1 });
  const wakesLate = isShort && random.chance(0.15);
  return {
    tabs: Number(tabs),
    copies: random.chance(0.2) ? random.integer(1, 2) : 0,
    tries: Array.from({ length: random.integer(1, 3) }, () => ({
      card: planCard(random, threeDs),
      cardholder: random.weighted({ right: 6, wrong: 2, cancel: 1, never: 1 }),
    })),
    // Around the end of the short time (CHECKOUT_EXPIRES_AFTER of the timers), on either side of it.
    hesitatesMs: wakesLate ? random.integer(10_500, 13_500) : random.integer(0, 800),
    goesBack: random.chance(0.1),
  };
}

function planCard(random: Random, threeDs: boolean): CardName {
  if (threeDs && random.chance(0.5)) return "challenged";
  return random.weighted(CARD_WEIGHTS);
}

/** Half of them fail in one way or another, so that there is a next card. */
const CARD_WEIGHTS = {
  approve_visa: 8,
  approve_mastercard: 4,
  approve_amex: 2,
  do_not_honour: 4,
  insufficient_funds: 4,
  expired_card: 2,
  approves_and_hangs: 3,
  hangs: 2,
  answers_late: 2,
  acts_late: 2,
  http_500: 2,
  garbage: 2,
  other_amount: 2,
  reset: 2,
  frictionless: 3,
  unauthenticated: 2,
} satisfies Partial<Record<CardName, number>>;

/** Opens every checkout at its time, and resolves when each has ended for its merchant and its buyer. */
export async function runCheckouts(
  actors: Actors,
  buyers: BuyerDeps,
  plan: readonly PlannedCheckout[],
  over?: AbortSignal,
): Promise<void> {
  const startedAt = performance.now();
  const inTurn = atMost(CHECKOUTS_AT_ONCE);
  await Promise.all(
    plan.map(async (planned) => {
      await delay(Math.max(0, planned.atMs - (performance.now() - startedAt)));
      await inTurn(async () => {
        if (!over?.aborted) await placeCheckout(actors, buyers, planned);
      });
    }),
  );
}

/** A buyer takes longer than an order without one. */
const CHECKOUTS_AT_ONCE = 30;

async function placeCheckout(
  { clients: [client], operator }: Actors,
  buyers: BuyerDeps,
  { checkout, gateway, key, buyer, operation, refunds }: PlannedCheckout,
): Promise<void> {
  const via = { gateway, ...(key !== undefined && { key }) };
  const checkoutId = await openCheckout(client, checkout, via);
  if (checkoutId === undefined || !buyer) return;
  await visitCheckout(buyers, checkoutId, buyer);
  const paymentId = await followCheckout(client, checkoutId, { gateway });
  if (paymentId === undefined) return;
  if (operation) await operate(client, { ...operation, paymentId }, via);
  const { currency } = checkout;
  if (refunds) await placeRefunds(client, operator, { paymentId, currency, gateway }, refunds);
}
