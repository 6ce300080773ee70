import { carryOut, EMPTY_BOOK, type Kind, type Request } from "./bank.ts";
import type { Event, Model } from "./explore.ts";
import { OURS, type Ours } from "./ours.ts";
import { paymentSteps } from "./payment-steps.ts";
import { refundSteps } from "./refund-steps.ts";
import { AGES, onWire, withReversal, withRows, type Working, type World } from "./world.ts";

/**
 * A sale of 10 and everything that can become of it at a bank of this kind: requests and answers are lost or late, the bank
 * approves, approves a part, declines and refuses, its day closes between any two steps, and either service crashes.
 */
export function moneyModel(kind: Kind, { ours = OURS, crashes = 2 } = {}): Model<World> {
  return {
    initial: start(crashes),
    next: (world) => [
      ...wire(world, kind),
      ...timeouts(world),
      ...crash(world),
      ...time(world),
      ...paymentSteps(world, ours, kind),
      ...refundSteps(world, ours, kind),
    ],
    violation,
    isAtRest,
  };
}

function start(crashes: number): World {
  return {
    rows: {
      payment: "AUTHORIZING",
      age: "young",
      reversal: { isSettled: false, approvedHalf: false, hasRefused: false, refundSent: "never" },
      watch: "none",
      refund: "none",
      refundSent: "never",
    },
    payments: { at: "sending", request: { operation: "sale", amount: "whole" } },
    refunds: null,
    wire: [],
    book: EMPTY_BOOK,
    dayIsClosed: false,
    crashes: { payments: crashes, refunds: crashes },
  };
}

/** Each request that is on its way arrives or is lost. */
function wire(world: World, kind: Kind): Event<World>[] {
  return world.wire.flatMap((request, index) => {
    const rest = { ...world, wire: world.wire.filter((_, at) => at !== index) };
    const arrived = carryOut(world.book, request, kind).flatMap(({ book, answer, label }) => {
      const done = { ...rest, book };
      const heard = withWorking(done, request, { at: "answered", request, answer });
      const unheard = { label: `the bank ${label}`, state: done };
      return isWaiting(world, request)
        ? [{ label: `the bank ${label} and is heard`, state: heard }, unheard]
        : [unheard];
    });
    return [...arrived, { label: `the ${request.operation} is lost`, state: rest }];
  });
}

function timeouts(world: World): Event<World>[] {
  return ([world.payments, world.refunds] as const).flatMap((working) => {
    if (working?.at !== "calling") return [];
    const { request } = working;
    const state = withWorking(world, request, { at: "answered", request, answer: { kind: "unknown" } });
    return [{ label: `nobody waits for the ${request.operation} any more`, state }];
  });
}

function crash(world: World): Event<World>[] {
  return (["payments", "refunds"] as const).flatMap((service) => {
    if (!world[service] || world.crashes[service] === 0) return [];
    const crashes = { ...world.crashes, [service]: world.crashes[service] - 1 };
    return [{ label: `${service} crashes`, state: { ...world, [service]: null, crashes } }];
  });
}

/** A refund that was sent cannot arrive after the horizon, which is what the horizon means; a sale can. */
function time(world: World): Event<World>[] {
  const { rows, book } = world;
  const events: Event<World>[] = [];
  const older = AGES[AGES.indexOf(rows.age) + 1];
  if (older && (rows.payment === "AUTHORIZING" || rows.payment === "REVERSING")) {
    events.push({ label: `the payment is ${older}`, state: withRows(world, { age: older }) });
  }
  if (rows.refundSent === "may arrive" && !world.refunds && !onWire(world, "refund")) {
    const state = withRows(world, { refundSent: "cannot arrive" });
    events.push({ label: "the refund can no longer arrive", state });
  }
  if (rows.reversal.refundSent === "may arrive" && !world.payments && !onWire(world, "undo")) {
    const state = withReversal(world, { refundSent: "cannot arrive" });
    events.push({ label: "the undo can no longer arrive", state });
  }
  if (!world.dayIsClosed) {
    const isSettled = (book.sale === "whole" || book.sale === "half") && !book.isReversed;
    events.push({
      label: "the day closes",
      state: { ...world, dayIsClosed: true, book: { ...book, isSettled } },
    });
  }
  return events;
}

/** Promises that hold at every moment. */
function violation({ rows, book }: World): string | undefined {
  const { undo, refund } = book.refunds;
  if (undo.approved > 1) return "a settled charge was given back twice";
  if (refund.approved > 1) return "a refund was paid twice";
  const stands = (book.sale === "whole" || book.sale === "half") && !book.isReversed && undo.approved === 0;
  if (rows.payment === "SUCCESS" && !(stands && book.sale === "whole")) return "SUCCESS without its charge";
  if (rows.payment === "FAILED" && rows.watch !== "waiting" && stands) return "FAILED beside a charge";
  if (rows.refund === "SETTLING" && refund.approved === 0) return "a refund that was never paid is SUCCESS";
  if (rows.refund === "FAILING" && refund.approved > 0) return "a refund that was paid is FAILED";
  return undefined;
}

/** Nothing is left to do, or people have the case before them. */
function isAtRest(world: World): boolean {
  const { rows } = world;
  if (rows.reversal.hasRefused) return true;
  const isEnded = rows.payment === "SUCCESS" || (rows.payment === "FAILED" && rows.watch !== "waiting");
  return (
    isEnded && rows.refund !== "EXECUTING" && world.wire.length === 0 && !world.payments && !world.refunds
  );
}

function isWaiting(world: World, request: Request): boolean {
  const working = request.operation === "refund" ? world.refunds : world.payments;
  return (
    working?.at === "calling" &&
    working.request.operation === request.operation &&
    working.request.amount === request.amount
  );
}

function withWorking(world: World, { operation }: Request, working: Working): World {
  return operation === "refund" ? { ...world, refunds: working } : { ...world, payments: working };
}

export type { Ours };
