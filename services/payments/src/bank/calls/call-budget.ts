import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { wrapCalls, type Acquirer, type NotSent } from "@holdfast/acquirer";
import type { Lane } from "./acquirers.ts";
import type { CallSlots, SlotRange } from "./call-slots.ts";
import type { CurrentAccounts } from "../account/current-accounts.ts";

/**
 * The budget of calls at a bank that accepts a limited number per minute. Work that has begun comes before
 * new payments: a fifth of the calls is kept for captures, cancellations, refunds and recovery, which wait
 * for the budget, and inquiries of merchants' reads may use only half. A new payment does not wait: it takes
 * its calls before it is claimed, or there is no payment.
 */
export type CallBudget = {
  /**
   * Takes a new payment's calls; undefined if they are not free. Without a limit there is nothing to take.
   */
  reserve(accountId: string, calls: number): Promise<ReservedCalls | undefined>;
  /** @param call whose calls of the account use what is reserved first. What they leave is given back. */
  use<Result>(reserved: ReservedCalls, call: () => Promise<Result>): Promise<Result>;
  /** Returns the acquirer with its calls counted in this lane. */
  inLane(acquirer: Acquirer, lane: Lane): Acquirer;
  /** Is asked before each call of an account. @returns why it must not be made now, or undefined. */
  awaitBudgetOf(accountId: string): (until: Date) => Promise<NotSent | undefined>;
};

export type ReservedCalls = { accountId: string; slots: number[] };

/** `read` is the inquiry of a merchant's read; `follow_up` is everything about a payment that was begun. */
type CallKind = "payment" | "follow_up" | "read";

export function createCallBudget(
  slots: CallSlots,
  { table }: Pick<CurrentAccounts, "table">,
  { now = Date.now }: { now?: () => number } = {},
): CallBudget {
  const calling = new AsyncLocalStorage<{ kind: CallKind; reserved?: ReservedCalls | undefined }>();
  const limitOf = (accountId: string) => table()?.accounts.get(accountId)?.callsPerMinute;

  const waitForBudget = async (
    range: SlotRange,
    kind: CallKind,
    until: Date,
  ): Promise<NotSent | undefined> => {
    for (;;) {
      const [taken] = await slots.take(range, 1);
      if (taken !== undefined) return undefined;
      const inMs = Math.max(await slots.nextInMs(range), PAUSE_MS);
      const notBefore = new Date(now() + inMs);
      if (kind !== "follow_up" || notBefore > until) return { kind: "not_sent", reason: "limit", notBefore };
      await sleep(inMs);
    }
  };
  return {
    async reserve(accountId, calls) {
      const max = limitOf(accountId);
      if (max === undefined) return { accountId, slots: [] };
      const taken = await slots.take(rangeOf("payment", { accountId, max }), calls);
      return taken.length === 0 ? undefined : { accountId, slots: taken };
    },
    async use(reserved, call) {
      try {
        return await calling.run({ kind: "payment", reserved }, call);
      } finally {
        // A slot that cannot be given back is free again in a minute.
        await slots.giveBack(reserved.accountId, reserved.slots).catch(() => undefined);
      }
    },
    inLane: (acquirer, lane) =>
      wrapCalls(acquirer, (operation, call) => (request) => {
        const reserved = calling.getStore()?.reserved;
        return calling.run({ kind: kindOf(lane, operation), reserved }, () => call(request));
      }),
    awaitBudgetOf: (accountId) => async (until) => {
      const max = limitOf(accountId);
      if (max === undefined) return undefined;
      const { kind, reserved } = calling.getStore() ?? { kind: "follow_up" };
      if (reserved?.accountId === accountId && reserved.slots.pop() !== undefined) return undefined;
      try {
        return await waitForBudget(rangeOf(kind, { accountId, max }), kind, until);
      } catch {
        // Calls cannot be counted without the database, and the bank would refuse calls above the limit.
        return { kind: "not_sent", reason: "limit" };
      }
    },
  };
}

function kindOf(lane: Lane, operation: string): CallKind {
  if (lane !== "payments") return "follow_up";
  if (NEW_PAYMENTS.has(operation)) return "payment";
  return operation === "inquire" ? "read" : "follow_up";
}

/** The operations that send a card. */
export const NEW_PAYMENTS: ReadonlySet<string> = new Set(["authorize", "sale", "enrol"]);

/** The slots that a kind of calls may use. */
export function rangeOf(kind: CallKind, { accountId, max }: Omit<SlotRange, "floor">): SlotRange {
  return { accountId, floor: Math.ceil(max * KEPT_FROM[kind]), max };
}

/** The part of an account's calls that a kind must leave. */
const KEPT_FROM: Record<CallKind, number> = { follow_up: 0, payment: 0.2, read: 0.5 };

/** Others may have taken the free slot; a second check costs two queries. */
const PAUSE_MS = 50;
