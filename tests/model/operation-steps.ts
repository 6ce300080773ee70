import { withSubReference } from "@holdfast/acquirer";
import type { OperationKind } from "../../services/payments/src/follow-up/operation/payment-operation.ts";
import { transition } from "../../services/payments/src/payment/payment.ts";
import { SALE } from "./bank.ts";
import type { Event } from "./explore.ts";
import { ask, asOutcome, operable, outcomeOf } from "./ours.ts";
import { asked, concludePayment, withCase, type At, type Setting } from "./setting.ts";
import {
  doing,
  HALF,
  shownBook,
  withPayment,
  type Answer,
  type Payment,
  type Request,
  type Sent,
  type World,
} from "./world.ts";

type Step = Event<World>[];
type Operation = NonNullable<Payment["operation"]>;

/** The merchant's possible requests, as long as it may make one. */
export function merchantOperations(world: World, { ours, scenario }: Setting): Step {
  const { payment, hand, time } = world;
  if (hand || time.operations === 0 || payment.state !== "SUCCESS") return [];
  const row = operable(payment, scenario);
  const wishes = [
    { kind: "CAPTURE", label: "captures the whole amount", decision: ours.decideCapture(row, {}) },
    {
      kind: "CAPTURE",
      label: "captures a part",
      decision: ours.decideCapture(row, { amount: `${HALF}`, currency: "TRY" }),
    },
    { kind: "CANCEL", label: "cancels", decision: ours.decideCancel(row, !time.dayIsClosed) },
  ] as const;
  return wishes.flatMap(({ kind, label, decision }) => {
    if ("outcome" in decision) return [];
    const left = { ...time, operations: time.operations - 1 };
    const nth = scenario.operations - left.operations;
    const amount = Number(decision.amountMinor);
    const state = send({ ...world, time: left }, { kind, nth, amount, sub: 1, sent: "may arrive" }, true);
    return [{ label: `the merchant ${label}`, state }];
  });
}

function send(world: World, operation: Operation, isFirst: boolean): World {
  const request: Request = {
    kind: operation.kind === "CAPTURE" ? "capture" : "void",
    ref: referenceOf(operation),
    amount: operation.amount,
    account: world.payment.account,
  };
  return doing(withPayment(world, { operation }), { at: "sending", request, isFirst });
}

/** Our reference of an operation, as it is sent now. */
export function referenceOf(operation: Pick<Operation, "kind" | "nth" | "sub">): string {
  return withSubReference(baseOf(operation), operation.sub);
}

const NAMES = { CAPTURE: "capture", CANCEL: "cancel", EXPIRY: "expiry" } as const satisfies Record<
  OperationKind,
  string
>;
const baseOf = ({ kind, nth }: Pick<Operation, "kind" | "nth">) => `${NAMES[kind]} ${nth}`;

/** Recovery asks about an operation whose answer was lost. */
export function operationSteps(world: World, setting: Setting): Step {
  const { payment } = world;
  const { ours, scenario } = setting;
  const operation = payment.operation!;
  const answer = ask(
    ours,
    { book: shownBook(world), account: payment.account, bank: scenario.bank },
    {
      ref: referenceOf(operation),
      kind: operation.kind === "CAPTURE" ? "capture" : "void",
      amount: operation.amount,
      target: `${SALE}#1`,
    },
  );
  return [asked(world, { at: "asked", about: "operation", answer })];
}

export function takeOperation(world: World, answer: Answer, setting: Setting): World {
  const { scenario, ours } = setting;
  const operation = world.payment.operation!;
  const { amount, sub } = operation;
  const outcome = outcomeOf(ours, answer, { amount, sent: operation.sent, bank: scenario.bank });
  switch (outcome) {
    case "wait":
      return doing(world, null);
    case "repeat":
      return send(world, { ...operation, sent: "may arrive" }, false);
    case "repeat_under_new_reference":
      return send(world, { ...operation, sub: sub + 1, sent: "may arrive" }, false);
    default:
      return finish(withCase(world, answer), outcome.kind);
  }
}

/** Takes the answer to an operation's call. */
export function concludeOperation(
  world: World,
  { request, answer, isFirst }: At<"answered">,
  { ours }: Setting,
): World {
  const outcome = asOutcome(ours, answer, request.amount);
  // Nothing was sent before the first call, so nothing has happened at the bank.
  if (outcome.kind === "not_sent" && isFirst) return doing(withPayment(world, { operation: null }), null);
  return finish(outcome.kind === "not_sent" ? withSent(world, "never") : world, outcome.kind);
}

function withSent(world: World, sent: Sent): World {
  return withPayment(world, { operation: { ...world.payment.operation!, sent } });
}

function finish(world: World, outcome: string): World {
  if (outcome !== "approved" && outcome !== "declined") return doing(world, null);
  const operation = world.payment.operation!;
  const ended = { ref: baseOf(operation), state: outcome === "approved" ? "DONE" : "DECLINED" } as const;
  const over = doing(withPayment(world, { operation: null, ended }), null);
  if (outcome === "declined") return over;
  if (operation.kind !== "CAPTURE") return concludePayment(over, "CANCELLED");
  const state = transition(over.payment.state, "CAPTURED");
  return withPayment(over, { state, captured: operation.amount });
}
