import { transition } from "../../services/refunds/src/refund/refund.ts";
import type { Event } from "./explore.ts";
import { asOutcome, capabilitiesOf, operable, outcomeOf } from "./ours.ts";
import type { Setting } from "./setting.ts";
import { askAboutRefund, recordAnswer, relaySteps, waits } from "./refund-relay-steps.ts";
import {
  HALF,
  nothing,
  withPayment,
  withRefund,
  type Answer,
  type Refund,
  type RefundName,
  type Sent,
  type World,
} from "./world.ts";

type Step = Event<World>[];

/** The next steps of `refunds` with one refund of half of the payment, and of `payments` on its behalf. */
export function refundSteps(world: World, name: RefundName, setting: Setting): Step {
  return [
    ...ofRefunds(world, name, setting),
    ...relaySteps(world, name, setting),
    ...lateReservation(world, name, setting),
  ];
}

function ofRefunds(world: World, name: RefundName, setting: Setting): Step {
  const refund = world[name];
  const { hand, state } = refund;
  const one = (label: string, change: Partial<Refund>): Step => [
    { label, state: withRefund(world, name, change) },
  ];
  switch (hand?.at) {
    case undefined:
      return resume(world, name, setting);
    case "reserving":
      return [
        ...reserve(world, name, setting).map(({ state: reserved, isReserved }) => ({
          label: `payments ${isReserved ? "reserves" : "refuses"} refund ${name}`,
          state: withRefund(reserved, name, { hand: { at: isReserved ? "reserved" : "refused" } }),
        })),
        ...one(`refunds stops waiting for the reservation of refund ${name}`, { hand: null, isLate: true }),
      ];
    case "reserved":
      return one(`refund ${name} waits for operators`, {
        state: transition("RESERVING", "PENDING_APPROVAL"),
        hand: null,
      });
    case "refused":
    case "released":
      return one(`refund ${name} is dropped`, { state: "DROPPED", hand: null });
    case "sending":
      return [
        ...one(`refunds has payments send refund ${name}`, {
          hand: { at: "waiting" },
          relay: { at: "begun", wasSent: refund.mayBeUnderWay, before: hand.seen },
        }),
        ...one(`refunds cannot reach payments for refund ${name}`, {
          hand: { at: "answered", answer: nothing("not_sent") },
        }),
      ];
    case "waiting":
      return [];
    case "answered":
      return [
        {
          label: `refunds records the answer for refund ${name}: ${hand.answer.kind}`,
          state: conclude(world, name, asOutcome(setting.ours, hand.answer, HALF).kind),
        },
      ];
    case "asked":
      return [
        {
          label: `refunds records the answer for refund ${name}: ${hand.answer.kind}`,
          state: take(world, name, hand, setting),
        },
      ];
    case "reported":
      return one(`refund ${name} is ${END[state as keyof typeof END]}`, {
        state: transition(state as keyof typeof END, END[state as keyof typeof END]),
        hand: null,
      });
    default:
      return hand satisfies never;
  }
}

const END = { SETTLING: "SUCCESS", FAILING: "FAILED", REJECTING: "REJECTED" } as const;

/** A request of the merchant, a decision of operators, or recovery's next attempt. */
function resume(world: World, name: RefundName, setting: Setting): Step {
  const refund = world[name];
  const to = (label: string, state: World): Step => [{ label, state }];
  const changed = (change: Partial<Refund>) => withRefund(world, name, change);
  switch (refund.state) {
    case "NONE":
      return mayBegin(world, name, setting)
        ? to(
            `the merchant asks for refund ${name}`,
            changed({ state: transition("NONE", "RESERVING"), hand: { at: "reserving" } }),
          )
        : [];
    case "RESERVING":
      return to(
        `payments releases refund ${name}`,
        withRefund(endReservation(world, name, "RELEASED"), name, { hand: { at: "released" } }),
      );
    case "PENDING_APPROVAL":
      return [
        ...to(
          `operators approve refund ${name}`,
          startSending(
            withRefund(world, name, { state: transition("PENDING_APPROVAL", "EXECUTING") }),
            name,
            "never",
          ),
        ),
        ...to(
          `operators reject refund ${name}`,
          changed({ state: transition("PENDING_APPROVAL", "REJECTING") }),
        ),
      ];
    case "EXECUTING":
      return inquire(world, name, setting);
    case "SETTLING":
      return to(
        `payments settles refund ${name}`,
        withRefund(endReservation(world, name, "SETTLED"), name, { hand: { at: "reported" } }),
      );
    case "FAILING":
    case "REJECTING":
      return to(
        `payments releases refund ${name}`,
        withRefund(endReservation(world, name, "RELEASED"), name, { hand: { at: "reported" } }),
      );
    case "DROPPED":
    case "SUCCESS":
    case "FAILED":
    case "REJECTED":
      return [];
    default:
      return refund.state satisfies never;
  }
}

/** The two are alike, so the second is requested after the first. */
function mayBegin({ payment, a }: World, name: RefundName, { scenario }: Setting): boolean {
  const isPaid = payment.state === "SUCCESS" || payment.state === "CAPTURED";
  return (
    isPaid &&
    (name === "a"
      ? scenario.refunds > 0
      : scenario.refunds > 1 && a.state !== "NONE" && a.state !== "RESERVING")
  );
}

function reserve(
  world: World,
  name: RefundName,
  { ours, scenario }: Setting,
): { state: World; isReserved: boolean }[] {
  const { payment } = world;
  if (world[name].reservation !== "NONE")
    return [{ state: world, isReserved: world[name].reservation === "ACTIVE" }];
  const decision = ours.decideReservation(operable(payment, scenario), {
    amountMinor: BigInt(HALF),
    currency: "TRY",
    canRelease: capabilitiesOf(scenario.bank).release,
  });
  if ("outcome" in decision)
    return [{ state: withRefund(world, name, { reservation: "REFUSED" }), isReserved: false }];
  const reserved = withPayment(world, { reserved: payment.reserved + HALF });
  return [
    { state: withRefund(reserved, name, { reservation: "ACTIVE", kind: decision.kind }), isReserved: true },
  ];
}

/** A request that no process waits for any longer is carried out, or is lost. */
function lateReservation(world: World, name: RefundName, setting: Setting): Step {
  if (!world[name].isLate) return [];
  const arrived = withRefund(world, name, { isLate: false });
  return [
    ...reserve(arrived, name, setting).map(({ state }) => ({
      label: `the late reservation of refund ${name} arrives`,
      state,
    })),
    { label: `the late reservation of refund ${name} is lost`, state: arrived },
  ];
}

function endReservation(world: World, name: RefundName, to: "SETTLED" | "RELEASED"): World {
  const { reservation, kind } = world[name];
  const { reserved, refunded, released } = world.payment;
  if (reservation === "NONE") return withRefund(world, name, { reservation: "RELEASED" });
  if (reservation !== "ACTIVE") return world;
  const gone = to === "SETTLED" ? HALF : 0;
  const after = withPayment(world, {
    reserved: reserved - HALF,
    refunded: refunded + (kind === "refund" ? gone : 0),
    released: released + (kind === "release" ? gone : 0),
  });
  return withRefund(after, name, { reservation: to });
}

function startSending(world: World, name: RefundName, seen: Sent): World {
  return withRefund(world, name, { hand: { at: "sending", seen } });
}

function inquire(world: World, name: RefundName, setting: Setting): Step {
  const { scenario } = setting;
  if (world[name].sent === "never" && waits(world, name, setting)) return [];
  const answer = askAboutRefund(world, name, setting);
  const noted =
    answer.kind === "approved" ? recordAnswer(world, name, { answer, wasSent: true }, setting) : world;
  const label = `the bank answers the inquiry about refund ${name}: ${answer.kind}`;
  const asked = { at: "asked", answer, seen: world[name].sent } as const;
  return scenario.slowInquiries
    ? [{ label, state: withRefund(noted, name, { hand: asked }) }]
    : [{ label, state: take(noted, name, asked, setting) }];
}

function take(
  world: World,
  name: RefundName,
  { answer, seen }: { answer: Answer; seen: Sent },
  { ours, scenario }: Setting,
): World {
  const refund = world[name];
  const outcome = outcomeOf(ours, answer, { amount: HALF, sent: seen, bank: scenario.bank });
  switch (outcome) {
    case "wait":
      return withRefund(world, name, { hand: null });
    case "repeat":
      return startSending(world, name, seen);
    case "repeat_under_new_reference":
      return startSending(withRefund(world, name, { sub: refund.sub + 1, sent: "never" }), name, "never");
    default: {
      const openCase =
        answer.kind === "mismatch" ? "the bank shows two movements, or another amount" : refund.openCase;
      return conclude(withRefund(world, name, { openCase }), name, outcome.kind);
    }
  }
}

function conclude(world: World, name: RefundName, outcome: string): World {
  if (outcome !== "approved" && outcome !== "declined") return withRefund(world, name, { hand: null });
  const state = transition("EXECUTING", outcome === "approved" ? "SETTLING" : "FAILING");
  return withRefund(world, name, { state, hand: null });
}
