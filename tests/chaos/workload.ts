import { setTimeout as delay } from "node:timers/promises";
import { minorUnits } from "../checker/amount.ts";
import { atMost } from "./at-most.ts";
import type { CardName } from "./client/cards.ts";
import type { MerchantClient, Order } from "./client/merchant-client.ts";
import { operate } from "./client/operate.ts";
import type { OperatorClient } from "./client/operator-client.ts";
import { pay } from "./client/pay.ts";
import type { Random } from "./random.ts";
import { placeRefunds, planRefunds, type PlannedRefunds } from "./refund-workload.ts";

/** One order of a merchant, and how it is placed. */
export type PlannedPayment = {
  /** The milliseconds since the run's start. */
  atMs: number;
  order: Order;
  /** Which of the two merchants. */
  shop: 0 | 1;
  gateway: number;
  key?: string;
  /** The card cannot be used: the gateway refuses it. */
  isRefused?: true;
  /** The number of further copies of the request, sent in parallel over both gateways. */
  copies: number;
  /** Requests with another amount under the same key, at the same time. */
  otherCopies: number;
  /** The merchant's operation after a success; without an amount it covers the whole payment. */
  operation?: { kind: "capture" | "cancel"; amount?: string };
  refunds?: PlannedRefunds;
  /** The refunds are asked for while the operation is under way, or before it. */
  isHasty?: true;
  /** The other merchant asks for the payment, too, and for a refund of it. */
  isSpiedOn?: true;
  /** The key is used again this long after the payment's end, with the same and with another amount. */
  repeatAfterMs?: number;
};

/**
 * The merchants' whole plan, determined by the seed alone. @param first the first order's number, if others
 * came before.
 */
export function planWorkload(
  random: Random,
  { payments, seconds, first = 0 }: { payments: number; seconds: number; first?: number },
): PlannedPayment[] {
  return Array.from({ length: payments }, (_, index) => planPayment(random, first + index, seconds)).toSorted(
    (a, b) => a.atMs - b.atMs,
  );
}

function planPayment(random: Random, index: number, seconds: number): PlannedPayment {
  const orderId = `order-${index}`;
  const atMs = random.integer(0, seconds * 1_000);
  const currency = random.weighted({ TRY: 6, EUR: 2, JPY: 1, KWD: 1 });
  const order = { orderId, amount: drawAmount(random, currency), currency, ...planCard(random) };
  const gateway = random.integer(0, 1);
  const shop = random.weighted({ "0": 3, "1": 1 }) === "0" ? (0 as const) : (1 as const);
  if (random.chance(0.03)) {
    const amount = random.pick(["0", "-1", "1.2345", "1e400", "99999999999999"]);
    const refused = { atMs, order: { ...order, amount }, shop, gateway, copies: 0, otherCopies: 0 };
    return { ...refused, isRefused: true };
  }
  const operation = random.chance(0.4) && !order.sale && drawOperation(random, currency);
  const paid = (operation && operation.amount) || order.amount;
  const planned = {
    atMs,
    order,
    shop,
    gateway,
    ...(operation && { operation }),
    ...(random.chance(0.45) && { refunds: planRefunds(random, { orderId, paid, currency }) }),
    ...(random.chance(0.3) && { isHasty: true as const }),
    ...(random.chance(0.05) && { isSpiedOn: true as const }),
  };
  if (random.chance(0.4)) return { ...planned, copies: 0, otherCopies: 0 };
  return {
    ...planned,
    key: `key-${orderId}`,
    copies: random.chance(0.15) ? random.integer(1, 19) : 0,
    otherCopies: random.chance(0.1) ? random.integer(1, 5) : 0,
    ...(random.chance(0.3) && { repeatAfterMs: random.integer(0, 5_000) }),
  };
}

/** One in four with 3-D Secure, most of those with a challenge. */
function planCard(random: Random): Pick<Order, "card" | "cardholder" | "sale"> {
  const card = random.weighted(CARD_WEIGHTS);
  const sale = random.chance(0.35);
  if (!random.chance(0.25)) return { card, sale };
  const cardholder = random.weighted({ right: 6, wrong: 1, cancel: 1, never: 2 });
  return { card: random.chance(0.6) ? "challenged" : card, cardholder, sale };
}

/**
 * Writes numbers as merchants do: whole, with some of their decimals, or with trailing zeros. Neither the
 * amount nor the half that the bank may approve ends in 91 in minor units: the bank declines refunds of such
 * amounts, which are the only way back for a sale that it has settled.
 */
export function drawAmount(random: Random, currency: string): string {
  for (;;) {
    const amount = drawDecimal(random, currency);
    const minor = minorUnits(amount, currency) ?? 0n;
    if (minor % 100n !== 91n && (minor / 2n) % 100n !== 91n) return amount;
  }
}

function drawDecimal(random: Random, currency: string): string {
  const decimals = currency === "JPY" ? 0 : currency === "KWD" ? 3 : 2;
  const whole = random.integer(1, 99_999);
  const shown = random.integer(0, decimals);
  return shown === 0
    ? `${whole}`
    : `${whole}.${`${random.integer(0, 10 ** shown - 1)}`.padStart(shown, "0")}`;
}

/**
 * Generates an operation. In currencies with cents, the last two digits of a part determine the bank's
 * failure (its README, Faults by amount).
 */
export function drawOperation(
  random: Random,
  currency: string,
): { kind: "capture" | "cancel"; amount?: string } {
  const kind = random.weighted({ capture: 3, cancel: 1 });
  const hasCents = currency === "TRY" || currency === "EUR";
  if (kind === "cancel" || !hasCents || random.chance(0.4)) return { kind };
  return { kind, amount: random.pick(["0.50", "0.91", "0.92", "0.93", "0.94", "0.95"]) };
}

const CARD_WEIGHTS: Record<CardName, number> = {
  approve_visa: 20,
  approve_mastercard: 10,
  approve_amex: 5,
  approve_troy: 5,
  do_not_honour: 4,
  insufficient_funds: 4,
  expired_card: 2,
  approves_and_hangs: 5,
  hangs: 5,
  answers_late: 5,
  acts_late: 5,
  http_500: 5,
  garbage: 5,
  other_amount: 5,
  reset: 5,
  // Special with 3-D Secure only; without it they approve.
  challenged: 2,
  frictionless: 4,
  unauthenticated: 2,
};

/** Both merchants, and the operator who requests refunds for them. */
export type Actors = { clients: readonly [MerchantClient, MerchantClient]; operator: OperatorClient };

/**
 * Places every order at its time, and resolves when each has ended for its merchant. On a busy machine orders
 * have to wait; orders whose turn comes after the end are not placed.
 */
export async function runWorkload(
  actors: Actors,
  plan: readonly PlannedPayment[],
  over?: AbortSignal,
): Promise<void> {
  const startedAt = performance.now();
  const inTurn = atMost(ORDERS_AT_ONCE);
  await Promise.all(
    plan.map(async (planned) => {
      await delay(Math.max(0, planned.atMs - (performance.now() - startedAt)));
      await inTurn(async () => {
        if (!over?.aborted) await place(actors, planned);
      });
    }),
  );
}

const ORDERS_AT_ONCE = 40;

async function place(actors: Actors, planned: PlannedPayment): Promise<void> {
  const { order, shop, gateway, key, copies, otherCopies, repeatAfterMs } = planned;
  const client = actors.clients[shop];
  const via = { gateway, ...(key !== undefined && { key }) };
  if (planned.isRefused) return void (await client.post(order, via));
  const payAndGoOn = async () => {
    const paymentId = await pay(client, order, via);
    if (paymentId !== undefined) await goOn(actors, planned, paymentId);
  };
  if (key === undefined) return await payAndGoOn();
  const other = { ...order, amount: `${order.amount.split(".")[0]}1` };
  const post = (what: Order, index: number) => client.post(what, { gateway: gateway + index, key });
  await Promise.all([
    payAndGoOn(),
    ...Array.from({ length: copies }, (_, index) => post(order, index + 1)),
    ...Array.from({ length: otherCopies }, (_, index) => post(other, index)),
  ]);
  if (repeatAfterMs === undefined) return;
  await delay(repeatAfterMs);
  await Promise.all([post(order, 0), post(order, 1), post(other, 0)]);
}

/** Carries out the plan for a payment that has succeeded. */
async function goOn(
  { clients, operator }: Actors,
  { order, shop, gateway, key, operation, refunds, isHasty, isSpiedOn }: PlannedPayment,
  paymentId: string,
): Promise<void> {
  const [client, stranger] = [clients[shop], clients[1 - shop] ?? clients[0]];
  const { currency } = order;
  if (isSpiedOn) {
    await stranger.get(paymentId, { gateway });
    await stranger.refund({ paymentId, amount: "1", currency }, { gateway });
  }
  const via = { gateway, ...(key !== undefined && { key }) };
  const operating = operation && operate(client, { ...operation, paymentId }, via);
  if (!isHasty) await operating;
  if (refunds) await placeRefunds(client, operator, { paymentId, currency, gateway }, refunds);
  await operating;
}
