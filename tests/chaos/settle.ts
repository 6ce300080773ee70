import { setTimeout as delay } from "node:timers/promises";
import { checkoutOf, problemOf, recordOf } from "../checker/answers.ts";
import type { HistoryEntry } from "../checker/index.ts";
import type { MerchantClient } from "./client/merchant-client.ts";
import { readExpiring, readUndecided, readUnsettled } from "./system/read-ledgers.ts";
import { banksOf, servicesOf, type System } from "./system/system.ts";

/** Runs every process again, without failpoints, mends every link, and waits until all are ready. */
export async function heal(system: System): Promise<void> {
  const dead = [...servicesOf(system), ...banksOf(system)].filter(({ process }) => !process.isRunning());
  await Promise.all(dead.map(({ process }) => process.spawn()));
  await mend(system);
}

/** Mends every link and receiver and resumes every stopped process; a dead one stays dead. */
export async function mend(system: System): Promise<void> {
  const { shops } = system;
  const services = servicesOf(system);
  for (const { receiver } of shops) receiver.behave({ kind: "status", status: 200 });
  await Promise.all(services.flatMap(({ links }) => Object.values(links).map((link) => link.heal())));
  await Promise.all(banksOf(system).map(({ link }) => link.heal()));
  const running = [...services, ...banksOf(system)].filter(({ process }) => process.isRunning());
  for (const { process } of running) process.resume();
  await Promise.all(running.map(({ process }) => process.untilReady({ withinMs: READY_WITHIN_MS })));
  await Promise.all(banksOf(system).map((bank) => bank.clearFaults()));
  await Promise.all(banksOf(system).map((bank) => bank.changeModes(KIND)));
}

const KIND = { duplicateWindowSeconds: 0, historyLagSeconds: 0 };

/** Long enough for a busy machine. */
const READY_WITHIN_MS = 120_000;

/** Some records were not settled in time: recovery is stuck, which the invariants alone do not forbid. */
export class UnsettledError extends Error {
  override name = "UnsettledError";
  readonly code = "unsettled";
}

/**
 * Waits until every outcome at the bank is known, no expired checkout is open, and every webhook has arrived.
 * @param decided true if operators are at work, so that every refund will be decided, too.
 * @param expired true if authorizations expire within the run, so that each uncaptured one will, too.
 * @throws UnsettledError with the records left.
 */
export async function untilSettled(
  superuserUrl: string,
  { withinMs, decided = false, expired = false }: { withinMs: number; decided?: boolean; expired?: boolean },
): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const unsettled = [
      ...(await readUnsettled(superuserUrl)),
      ...(decided ? await readUndecided(superuserUrl) : []),
      ...(expired ? await readExpiring(superuserUrl) : []),
    ];
    if (unsettled.length === 0) return;
    if (performance.now() > deadline) {
      const shown = JSON.stringify(unsettled.slice(0, UNSETTLED_SHOWN), undefined, 1);
      throw new UnsettledError(`after ${withinMs} ms ${unsettled.length} records are not settled: ${shown}`);
    }
    await delay(POLL_MS);
  }
}

const POLL_MS = 50;
const UNSETTLED_SHOWN = 20;

/**
 * Reads every payment and refund that a merchant's answers have named, so that the history ends with the
 * outcome of each.
 *
 * @param others ids that the merchant knows from elsewhere.
 */
export async function readEveryPayment(
  client: MerchantClient,
  history: readonly HistoryEntry[],
  others: readonly string[] = [],
): Promise<void> {
  const ids = new Set([
    ...others,
    ...history
      .filter(({ method, merchantId }) => method === "POST" && merchantId === client.merchantId)
      .flatMap((entry) => recordOf(entry)?.paymentId ?? problemOf(entry).paymentId ?? []),
  ]);
  const queue = [...ids];
  const reader = async (gateway: number) => {
    for (let id = queue.pop(); id !== undefined; id = queue.pop())
      await readOnce((attempt) => client.get(id, { gateway: gateway + attempt }));
  };
  await Promise.all(Array.from({ length: READERS }, (_, index) => reader(index)));
}

const READERS = 4;

/** Reads every checkout that a merchant's answers have named, in the same way. */
export async function readEveryCheckout(
  client: MerchantClient,
  history: readonly HistoryEntry[],
): Promise<void> {
  const ids = new Set(history.flatMap((entry) => checkoutOf(entry)?.checkoutId ?? []));
  for (const id of ids) await readOnce((gateway) => client.getCheckout(id, { gateway }));
}

/** Until there is a conclusive answer: right after an outage a connection may still have to be replaced. */
async function readOnce(get: (gateway: number) => Promise<HistoryEntry>): Promise<void> {
  for (let attempt = 0; attempt < READ_ATTEMPTS_MAX; attempt++) {
    const { status } = await get(attempt);
    if (status === 200 || status === 404) return;
    await delay(POLL_MS);
  }
}

const READ_ATTEMPTS_MAX = 20;
