import { again, callLate, carryOut, decideAccepted, SALE, type Done } from "./bank.ts";
import type { Event } from "./explore.ts";
import { disagreement, isOver } from "./promises.ts";
import {
  AGES,
  doing,
  isOnWire,
  nothing,
  withPayment,
  withRefund,
  withReversal,
  type Answer,
  type Movement,
  type Request,
  type RefundName,
  type Scenario,
  type World,
} from "./world.ts";
import { referenceOf as operationReferenceOf } from "./operation-steps.ts";
import { REFUND_NAMES, referenceOf as refundReferenceOf } from "./refund-relay-steps.ts";
import { reversalRefundReference } from "./reversal-steps.ts";
import { asUnseen } from "./setting.ts";

type Step = Event<World>[];

/** Each request that is on its way arrives, or is lost; its answer reaches the caller, or does not. */
export function wireSteps(world: World, scenario: Scenario): Step {
  return world.wire.flatMap((request, index) => {
    const others = { ...world, wire: world.wire.filter((_, at) => at !== index) };
    const arrived = arrivals(world, request, scenario).flatMap(({ done, isTwice, isLate, stays }) => {
      const { time } = world;
      const left = { late: time.faults.late - Number(isLate), twice: time.faults.twice - Number(isTwice) };
      const cameAfterWatch = time.cameAfterWatch || (request.ref === SALE && isAfterWatch(world, request));
      const state: World = {
        ...(stays ? world : others),
        book: done.book,
        time: { ...time, faults: left, wasTwice: time.wasTwice || isTwice, cameAfterWatch },
      };
      if (scenario.lags) state.time.unshown = newIn(world.book, done.book) ?? time.unshown;
      const label = `the bank ${done.label}${stays ? ", and gets it again" : ""}`;
      const known = hear(state, request, done.answer);
      return known
        ? [
            { label: `${label}, and payments gets the answer`, state: known },
            { label, state },
          ]
        : [{ label, state }];
    });
    return [...arrived, { label: `the ${nameOf(request)} is lost`, state: others }];
  });
}

/** The bank's id of what it has just approved. */
function newIn(before: readonly Movement[], after: readonly Movement[]): string | undefined {
  return after.find(({ id }) => id !== "" && !before.some((movement) => movement.id === id))?.id;
}

/**
 * The bank decides on an accepted request; an inquiry may come at any later moment, as after a notification.
 */
export function decisionSteps(world: World, scenario: Scenario): Step {
  const conditions = { ...scenario, dayIsClosed: world.time.dayIsClosed };
  return decideAccepted(world.book, conditions).map(({ book, label }) => ({
    label: `the bank ${label}`,
    state: { ...world, book },
  }));
}

/** True if the payment itself arrives during the last look for it, or afterwards. */
function isAfterWatch({ payment, hand }: World, { kind }: Request): boolean {
  if (kind === "reverse" || payment.state !== "FAILED") return false;
  return payment.watch === "over" || (payment.watch === "waiting" && hand !== null);
}

function arrivals(
  { book, time }: World,
  request: Request,
  scenario: Scenario,
): { done: Done; isTwice: boolean; isLate: boolean; stays?: boolean }[] {
  const conditions = { ...scenario, dayIsClosed: time.dayIsClosed };
  const judged = carryOut(book, request, conditions);
  const isCalledLate =
    time.faults.late > 0 && request.kind !== "reverse" && !book.some(({ ref }) => ref === request.ref);
  return [
    ...judged.map((done) => ({ done, isTwice: false, isLate: false })),
    ...(time.faults.twice > 0 && request.kind !== "reverse"
      ? judged.flatMap((done) => [
          { done, isTwice: true, isLate: false, stays: true },
          ...(newIn(book, done.book) ? [{ done: again(done, request), isTwice: true, isLate: false }] : []),
        ])
      : []),
    ...(isCalledLate ? [{ done: callLate(book, request), isTwice: false, isLate: true }] : []),
  ];
}

/** @returns undefined if nothing waits for this answer. */
function hear(world: World, request: Request, answer: Answer): World | undefined {
  const { hand } = world;
  if (hand?.at === "calling" && areSame(hand.request, request)) {
    const { isFirst, isUnseen } = hand;
    return doing(world, {
      at: "answered",
      request: hand.request,
      isFirst,
      answer,
      ...asUnseen(isUnseen),
    });
  }
  const name = REFUND_NAMES.find(
    (refund) => world[refund].relay?.at === "calling" && refundReferenceOf(world, refund) === request.ref,
  );
  return name && withRefund(world, name, { relay: { ...world[name].relay!, at: "answered", answer } });
}

function areSame(one: Request, other: Request): boolean {
  return (
    one.kind === other.kind &&
    one.ref === other.ref &&
    one.amount === other.amount &&
    one.account === other.account
  );
}

export function timeoutSteps(world: World): Step {
  const { hand } = world;
  const steps: Step = [];
  if (hand?.at === "calling") {
    const { request, isFirst, isUnseen } = hand;
    const answer = nothing("unknown");
    const state = doing(world, { at: "answered", request, isFirst, answer, ...asUnseen(isUnseen) });
    steps.push({ label: `payments stops waiting for the ${nameOf(request)}`, state });
  }
  for (const name of REFUND_NAMES) {
    const { relay } = world[name];
    if (relay?.at === "calling") {
      const state = withRefund(world, name, {
        relay: { ...relay, at: "answered", answer: nothing("unknown") },
      });
      steps.push({ label: `payments stops waiting for refund ${name}`, state });
    }
    if (world[name].hand?.at === "waiting") {
      const state = withRefund(world, name, { hand: { at: "answered", answer: nothing("unknown") } });
      steps.push({ label: `refunds stops waiting for refund ${name}`, state });
    }
  }
  return steps;
}

const nameOf = ({ kind, ref }: Request) => (kind === "reverse" ? "reversal" : ref);

export function crashSteps(world: World): Step {
  const { crashes } = world.time;
  const steps: Step = [];
  const after = (service: "payments" | "refunds") => ({
    ...world.time,
    crashes: { ...crashes, [service]: crashes[service] - 1 },
  });
  if (crashes.payments > 0 && (world.hand ?? world.a.relay ?? world.b.relay)) {
    const [a, b] = REFUND_NAMES.map((name) =>
      world[name].relay ? { ...world[name], relay: null } : world[name],
    );
    const state = { ...world, hand: null, a: a!, b: b!, time: after("payments") };
    steps.push({ label: "payments crashes", state });
  }
  if (crashes.refunds > 0 && (world.a.hand ?? world.b.hand)) {
    const [a, b] = REFUND_NAMES.map((name) =>
      world[name].hand ? { ...world[name], hand: null } : world[name],
    );
    steps.push({ label: "refunds crashes", state: { ...world, a: a!, b: b!, time: after("refunds") } });
  }
  return steps;
}

/** A movement that was sent cannot arrive after the horizon, by its definition; the payment itself can. */
export function timeSteps(world: World): Step {
  const { payment, time } = world;
  const steps: Step = [];
  const older = AGES[AGES.indexOf(payment.age) + 1];
  if (older && (payment.state === "AUTHORIZING" || payment.state === "REVERSING")) {
    steps.push({ label: `the payment is ${older}`, state: withPayment(world, { age: older }) });
  }
  const cannot = (what: string, state: World) =>
    steps.push({ label: `the ${what} can no longer arrive`, state });
  const { operation, reversal } = payment;
  if (operation?.sent === "may arrive" && !world.hand && !isOnWire(world, operationReferenceOf(operation))) {
    const state = withPayment(world, { operation: { ...operation, sent: "cannot arrive" } });
    cannot(operationReferenceOf(operation), state);
  }
  if (reversal.sent === "may arrive" && !world.hand && !isOnWire(world, reversalRefundReference(payment))) {
    cannot("reversal refund", withReversal(world, { sent: "cannot arrive" }));
  }
  if (reversal.last === "may arrive" && !world.hand && !isOnWire(world, SALE, "reverse")) {
    cannot("reversal", withReversal(world, { last: "cannot arrive" }));
  }
  for (const name of REFUND_NAMES)
    if (canNoLongerArrive(world, name)) {
      cannot(`refund ${name}`, withRefund(world, name, { sent: "cannot arrive" }));
    }
  if (time.unshown !== "") {
    const label = `the bank's history shows ${time.unshown}`;
    steps.push({ label, state: { ...world, time: { ...time, unshown: "" } } });
  }
  if (!time.dayIsClosed)
    steps.push({
      label: "the business day closes",
      state: { ...world, time: { ...time, dayIsClosed: true } },
    });
  return [...steps, ...settlementFile(world)];
}

function canNoLongerArrive(world: World, name: RefundName): boolean {
  const { sent, hand, relay } = world[name];
  return sent === "may arrive" && !hand && !relay && !isOnWire(world, refundReferenceOf(world, name));
}

/**
 * The file of the last day on which anything of the order could arrive: people get a case for each difference from our
 * books.
 */
function settlementFile(world: World): Step {
  const { time, payment } = world;
  if (!time.dayIsClosed || time.fileHasReported || (!time.wasTwice && !time.cameAfterWatch)) return [];
  if (!isOver(world)) return [];
  const differs = disagreement(world);
  const reported = { ...world, time: { ...time, fileHasReported: true } };
  const state = differs && payment.openCase === "" ? withPayment(reported, { openCase: differs }) : reported;
  return [{ label: "the settlement file reports the charge", state }];
}
