import { transition } from "../../services/payments/src/payment/payment.ts";
import { tell, type Answer, type Kind, type Request } from "./bank.ts";
import type { Event } from "./explore.ts";
import { AGE_MS, asInquiry, asOutcome, asReversal, judge, LIMITS, money, type Ours } from "./ours.ts";
import { onWire, withReversal, withRows, type Working, type World } from "./world.ts";

type Step = Event<World>[];

/** What the payments service may do next with the payment: its own call, or recovery's next attempt. */
export function paymentSteps(world: World, ours: Ours, kind: Kind): Step {
  const { payments: working, rows } = world;
  switch (working?.at) {
    case undefined:
      if (rows.payment === "AUTHORIZING") return recover(world, ours);
      return isUndoing(world) ? beginUndo(world, ours, kind) : [];
    case "reversing":
      return sendReversal(world, ours, working.found);
    case "sending":
      return call(world, working.request);
    case "answered":
      return conclude(world, ours, working);
    case "ending":
      return [end(world)];
    case "calling":
      return [];
    default:
      return working satisfies never;
  }
}

/** Being reversed, or looked at again after the day on which nothing of it was seen. */
function isUndoing(world: World): boolean {
  const { rows } = world;
  if (rows.payment === "REVERSING") return true;
  return rows.payment === "FAILED" && rows.watch === "waiting" && world.dayIsClosed && !onWire(world, "sale");
}

function recover(world: World, ours: Ours): Step {
  const asked = { ...money("whole"), ageMs: AGE_MS[world.rows.age], abandoned: false };
  return ask(world, "sale").flatMap(({ answer, label }) => {
    const decision = ours.decideRecovery(asked, asInquiry(answer), LIMITS);
    switch (decision.action) {
      case "settle":
        return [{ label, state: settle(world, decision.to) }];
      case "reverse":
        return [{ label, state: doing(toReversing(world), { at: "reversing", found: answer }) }];
      case "wait":
        return [];
      default:
        return decision satisfies never;
    }
  });
}

function beginUndo(world: World, ours: Ours, kind: Kind): Step {
  const { isSettled, approvedHalf, refundSent } = world.rows.reversal;
  if (!isSettled) {
    return ask(world, "sale").map(({ answer, label }) => {
      return { label, state: doing(world, { at: "reversing", found: answer }) };
    });
  }
  const amount = approvedHalf ? "half" : "whole";
  return ask(world, "undo").flatMap(({ answer, label }) => {
    const outcome = judge(ours, answer, { asked: amount, sent: refundSent, capabilities: kind });
    if (outcome === "wait" || outcome === "repeat_anew") return [];
    if (outcome === "repeat") {
      const noted = withReversal(world, { refundSent: "may arrive" });
      return [{ label, state: doing(noted, { at: "sending", request: { operation: "undo", amount } }) }];
    }
    return [{ label, state: afterRefund(world, ours, outcome) }];
  });
}

function sendReversal(world: World, ours: Ours, found: Answer): Step {
  if (ours.isUndone(asInquiry(found))) {
    return [{ label: "nothing is left at the bank", state: doing(world, { at: "ending", by: "reversal" }) }];
  }
  const approved = found.kind === "approved" ? found.amount : undefined;
  const amount = approved ?? (world.rows.reversal.approvedHalf ? "half" : "whole");
  const noted = approved === "half" ? withReversal(world, { approvedHalf: true }) : world;
  return call(noted, { operation: "reverse", amount });
}

/** The call leaves, or nothing of it does. */
function call(world: World, request: Request): Step {
  const name = request.operation;
  return [
    {
      label: `payments sends the ${name}`,
      state: { ...doing(world, { at: "calling", request }), wire: sent(world.wire, request) },
    },
    {
      label: `payments cannot send the ${name}`,
      state: doing(world, { at: "answered", request, answer: { kind: "not_sent" } }),
    },
  ];
}

function conclude(world: World, ours: Ours, { request, answer }: Extract<Working, { at: "answered" }>): Step {
  const label = `payments takes ${answer.kind} for the ${request.operation}`;
  switch (request.operation) {
    case "sale": {
      const decision = ours.decideAuthorization(asOutcome(answer, request.amount));
      if (decision.to === "UNKNOWN") return [{ label, state: doing(world, null) }];
      const after = decision.to === "REVERSING" ? toReversing(world) : settle(world, decision.to);
      return [{ label, state: doing(after, null) }];
    }
    case "reverse":
      return [{ label, state: afterReversal(world, ours, answer) }];
    case "undo": {
      const noted = answer.kind === "not_sent" ? withReversal(world, { refundSent: "never" }) : world;
      return [{ label, state: afterRefund(noted, ours, asOutcome(answer, request.amount)) }];
    }
    case "refund":
      throw new Error("payments sends no refund of a merchant");
    default:
      return request.operation satisfies never;
  }
}

function afterReversal(world: World, ours: Ours, answer: Answer): World {
  const ageMs = world.rows.payment === "FAILED" ? Number.POSITIVE_INFINITY : AGE_MS[world.rows.age];
  const { result, note } = ours.decideAfterReversal(asReversal(answer), ageMs, LIMITS);
  const noted = withReversal(world, {
    ...(note?.settled && { isSettled: true, hasRefused: false }),
    ...(note?.refusal && { hasRefused: true }),
  });
  if (result.kind === "wait") return doing(noted, null);
  const watched =
    result.by === "horizon" && noted.rows.watch === "none" ? withRows(noted, { watch: "waiting" }) : noted;
  return doing(watched, { at: "ending", by: result.by });
}

function afterRefund(world: World, ours: Ours, outcome: Parameters<Ours["decideAfterRefund"]>[0]): World {
  const { result, note } = ours.decideAfterRefund(outcome);
  const noted = note?.refusal ? withReversal(world, { hasRefused: true }) : world;
  return doing(noted, result.kind === "undone" ? { at: "ending", by: result.by } : null);
}

function end(world: World): Event<World> {
  const over = world.rows.payment === "FAILED";
  const ended = over ? withRows(world, { watch: "over" }) : settle(world, "FAILED");
  return { label: over ? "the watch is over" : "the payment is FAILED", state: doing(ended, null) };
}

function settle(world: World, to: "SUCCESS" | "FAILED" | "CANCELLED"): World {
  const payment = transition(world.rows.payment, to) as World["rows"]["payment"];
  // Its age is of no more use, so states that differ in it are one.
  return doing(withRows(world, { payment, age: "young" }), null);
}

function toReversing(world: World): World {
  transition(world.rows.payment, "REVERSING");
  return withRows(world, { payment: "REVERSING" });
}

function doing(world: World, payments: Working): World {
  return { ...world, payments };
}

/** What an inquiry is answered; that it is not answered changes nothing here but when a reversal follows in any case. */
export function ask(world: World, about: "sale" | "undo" | "refund"): { answer: Answer; label: string }[] {
  const answer = tell(world.book, about);
  return [
    { answer, label: `the bank says ${answer.kind} of the ${about}` },
    { answer: { kind: "unknown" }, label: `the bank does not answer about the ${about}` },
  ];
}

/**
 * The wire with one request more, sorted. Of reversals one is enough, since a second changes nothing at any bank; of every
 * other request two are, the one that was waited for and the one that is.
 */
export function sent(wire: readonly Request[], request: Request): Request[] {
  const most = request.operation === "reverse" ? 1 : 2;
  const alike = wire.filter((other) => keyOf(other) === keyOf(request)).length;
  return alike >= most
    ? [...wire]
    : [...wire, request].toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

const keyOf = ({ operation, amount }: Request) => `${operation} ${amount}`;
