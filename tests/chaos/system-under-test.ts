import { join } from "node:path";
import { eventually } from "../support/index.ts";
import {
  checkInvariants,
  describeViolation,
  type BankLine,
  type HistoryEntry,
  type Ledgers,
  type PaymentHistoryRow,
  type PaymentRow,
} from "../checker/index.ts";
import type { CardName } from "./client/cards.ts";
import { ClientHistory } from "./client/client-history.ts";
import { browsersOf } from "./system/browsers.ts";
import type { BuyerDeps } from "./client/buyer.ts";
import { MerchantClient, type Order } from "./client/merchant-client.ts";
import { mend, readEveryCheckout, readEveryPayment, untilSettled } from "./settle.ts";
import { readLedgers } from "./system/read-ledgers.ts";
import type { ServiceProcess } from "./system/service-process.ts";
import { startSystem, type System } from "./system/system.ts";
import type { Timers } from "./system/timers.ts";

/** A system with a merchant's client and the checker, for scenarios that place one fault at one exact moment. */
export type SystemUnderTest = {
  system: System;
  client: MerchantClient;
  history: ClientHistory;
  /** Dependencies of buyers' browsers, which use both gateways in turn. */
  buyers: BuyerDeps;
  /** A new order. */
  order(card?: CardName): Order;
  /** Everything about the payments of an order, as it is now. */
  look(orderId: string): Promise<Look>;
  /** Everything there is, as it is now. */
  ledgers(): Promise<Ledgers>;
  /** Waits until nothing is under way any longer. */
  settled(): Promise<void>;
  /**
   * Mends and settles everything, reads it as the merchant, and has the checker judge all of it.
   * @throws BrokenPromiseError
   */
  check(): Promise<void>;
  stop(): Promise<void>;
};

/** The checker found promises broken; the message has a line for each place. */
export class BrokenPromiseError extends Error {
  override name = "BrokenPromiseError";
  readonly code = "broken_promise";
}

export type Look = { payments: PaymentRow[]; causes: string[]; bank: BankLine[] };

export async function startSystemUnderTest(
  timers: Timers,
  { secured = false, withSettlement = false } = {},
): Promise<SystemUnderTest> {
  const system = await startSystem({ timers, secured, withSettlement });
  const history = new ClientHistory(join(system.dir, "history.jsonl"));
  const client = new MerchantClient({
    merchant: system.shops[0].merchant,
    history,
    gateways: system.gateways.map(({ process, merchantPort }) => ({
      name: process.name,
      port: merchantPort,
    })),
    timeoutMs: CLIENT_TIMEOUT_MS,
    ca: system.wires?.ca,
  });
  let orders = 0;
  const { visits, buyers } = browsersOf(system);
  const ledgers = () =>
    readLedgers(
      system,
      { history: history.entries, visits: visits.visits },
      { disturbances: EVER_DISTURBED },
    );
  const sut: SystemUnderTest = {
    system,
    client,
    history,
    buyers,
    order: (card = "approve_visa") => ({
      orderId: `order-${++orders}`,
      amount: "12.50",
      currency: "TRY",
      card,
    }),
    ledgers,
    look: async (orderId) => {
      const { payments, paymentHistory, bank } = await ledgers();
      return lookAt(orderId, payments, paymentHistory, bank);
    },
    settled: () => untilSettled(system.superuserUrl, { withinMs: SETTLE_WITHIN_MS }),
    check: async () => {
      await mend(system);
      await untilSettled(system.superuserUrl, { withinMs: SETTLE_WITHIN_MS });
      await readEveryPayment(client, history.entries);
      await readEveryCheckout(client, history.entries);
      const violations = checkInvariants(await ledgers());
      if (violations.length > 0) throw new BrokenPromiseError(violations.map(describeViolation).join("\n"));
    },
    stop: () => system.stop(),
  };
  await warmUp(sut);
  return sut;
}

/** Faults are the scenarios' business: deliveries under a dispatcher's lease may come again. */
const EVER_DISTURBED = [{ fromMs: 0, untilMs: Number.POSITIVE_INFINITY }];

const CLIENT_TIMEOUT_MS = 10_000;
const SETTLE_WITHIN_MS = 180_000;

function lookAt(
  orderId: string,
  payments: PaymentRow[],
  paymentHistory: PaymentHistoryRow[],
  bank: BankLine[],
): Look {
  const ofOrder = payments.filter((payment) => payment.orderId === orderId);
  const isOfOrder = (id: string) => ofOrder.some(({ paymentId }) => id.startsWith(paymentId));
  return {
    payments: ofOrder,
    causes: paymentHistory.filter(({ paymentId }) => isOfOrder(paymentId)).map(({ cause }) => cause),
    bank: bank.filter(({ reference }) => isOfOrder(reference)),
  };
}

/**
 * Makes a first payment, because a cold process takes a while for it, which must not look like a fault's
 * effect.
 */
async function warmUp(sut: SystemUnderTest): Promise<void> {
  await eventually(
    async () => {
      const answers = await Promise.all(
        [0, 1, 2, 3].map((gateway) => sut.client.post(sut.order(), { gateway })),
      );
      return answers.every(({ status }) => status === 201);
    },
    { withinMs: 60_000 },
  );
}

/** Takes a payments process off the bus: it gets no more commands, and its recovery continues. */
export async function takeOffTheBus({ process, links }: ServiceProcess): Promise<void> {
  await links.bus.set({ kind: "reset" });
  await eventually(async () => !(await process.isReady()));
}

export async function putBackOnTheBus({ process, links }: ServiceProcess): Promise<void> {
  await links.bus.heal();
  await process.untilReady();
}

/** Waits until a process has died, at a failpoint. */
export async function untilDead({ process }: ServiceProcess): Promise<void> {
  await eventually(() => !process.isRunning());
}

/** Waits until a process has reached a failpoint since `before`, an earlier `hits` of it. */
export async function untilHit({ process }: ServiceProcess, point: string, before = 0): Promise<void> {
  await eventually(() => hits(process.log(), point) > before);
}

/** The number of times a process has logged a failpoint. */
export function hits(log: string, point: string): number {
  return log.split(`failpoint ${point}:`).length - 1;
}

/** The status of each answer, sorted, `none` for a missing one. */
export function statusesOf(answers: readonly HistoryEntry[]): string[] {
  return answers.map(({ status }) => `${status ?? "none"}`).toSorted();
}

/** Sends the same request many times in parallel over all gateways. */
export async function postManyAtOnce(
  client: MerchantClient,
  orders: readonly Order[],
  key: string,
): Promise<HistoryEntry[]> {
  return await Promise.all(orders.map((order, index) => client.post(order, { gateway: index, key })));
}
