import { withSubReference, type AcquirerOutcome } from "@holdfast/acquirer";
import { approvalIn } from "../../services/payments/src/bank/ledger/bank-call.ts";
import type { OperationKind } from "../../services/payments/src/follow-up/operation/payment-operation.ts";
import { transition } from "../../services/payments/src/payment/payment.ts";
import { SALE } from "./bank.ts";
import type { Event } from "./explore.ts";
import { besideHeard } from "./heard-approvals.ts";
import { ask, capabilitiesOf, operable, outcomeOf } from "./ours.ts";
import { asked, concludePayment, withCase, type Setting } from "./setting.ts";
import {
  doing,
  HALF,
  NAMESAKE,
  nothing,
  shownBook,
  withPayment,
  type Answer,
  type Payment,
  type Request,
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
    const operation = { kind, nth, amount, sub: 1, sent: "may arrive", heard: "" } as const;
    const state = send({ ...world, time: left }, operation, true);
    return [{ label: `the merchant ${label}`, state }];
  });
}

function send(world: World, operation: Operation, isFirst: boolean): World {
  const request: Request = {
    kind: movementKindOf(operation),
    ref: referenceOf(operation),
    amount: operation.amount,
    account: world.payment.account,
  };
  return doing(withPayment(world, { operation }), { at: "sending", request, isFirst });
}

function movementKindOf({ kind }: Pick<Operation, "kind">): "capture" | "void" {
  return kind === "CAPTURE" ? "capture" : "void";
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
  const kind = movementKindOf(operation);
  const shown = ask(
    ours,
    { book: shownBook(world), account: payment.account, bank: scenario.bank },
    { ref: referenceOf(operation), kind, amount: operation.amount, target: NAME },
  );
  const answer = besideHeard(shown, { kind, heard: operation.heard }, ours);
  if (answer.kind !== "approved" || !isAnothers(world, answer.id, setting))
    return [asked(world, { at: "asked", about: "operation", answer })];
  return [asked(withNamesake(world), { at: "asked", about: "operation", answer: nothing("mismatch") })];
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
      return send(world, { ...operation, sub: sub + 1, sent: "may arrive", heard: "" }, false);
    default:
      return finish(withCase(world, answer), outcome.kind);
  }
}

/** Takes the answer to an operation's call. */
export function concludeOperation(
  world: World,
  isFirst: boolean,
  outcome: AcquirerOutcome,
  setting: Setting,
): World {
  // Nothing was sent before the first call, so nothing has happened at the bank.
  if (outcome.kind === "not_sent" && isFirst) return doing(withPayment(world, { operation: null }), null);
  const approval = approvalIn(outcome);
  if (approval && isAnothers(world, approval.externalTransactionId, setting))
    return doing(withNamesake(world), null);
  if (outcome.kind === "not_sent") return finish(withOperation(world, { sent: "never" }), outcome.kind);
  const isHeard = outcome.kind === "unknown" && approval !== undefined;
  const noted = isHeard ? withOperation(world, { heard: approval.externalTransactionId }) : world;
  return finish(noted, outcome.kind);
}

/** The bank's name of the payment. */
const NAME = `${SALE}#1`;

/** True if the bank has given an operation the name of its payment and does not share names: see `noteAnswer`. */
function isAnothers({ payment }: World, name: string, { ours, scenario }: Setting): boolean {
  const { account, operation } = payment;
  const { kind, nth } = operation!;
  const account_id = `${account}`;
  const charge = {
    number: 1,
    kind: scenario.type === "PAYMENT" ? ("sale" as const) : ("authorize" as const),
    account_id,
    movement_id: null,
    outcome: "approved" as const,
    heard_at: null,
    external_transaction_id: NAME,
    names_before: null,
  };
  const call = { number: 2, kind: movementKindOf({ kind }), account_id, movement_id: `${nth}` };
  return ours.nameGiven(call, { name }, [charge], capabilitiesOf(scenario.bank)) === "taken";
}

function withNamesake(world: World): World {
  return world.payment.openCase === "" ? withPayment(world, { openCase: NAMESAKE }) : world;
}

function withOperation(world: World, change: Partial<Operation>): World {
  return withPayment(world, { operation: { ...world.payment.operation!, ...change } });
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
