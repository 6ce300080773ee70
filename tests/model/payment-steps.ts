import type { AcquirerOutcome } from "@holdfast/acquirer";
import { SALE } from "./bank.ts";
import { outcomesOf } from "./confirm-answers.ts";
import type { Event } from "./explore.ts";
import { withHeard } from "./heard-approvals.ts";
import { concludeOperation, operationSteps, takeOperation } from "./operation-steps.ts";
import { AGE_MS, asVerdict, LIMITS, money, SOFTLY_DECLINED } from "./ours.ts";
import { concludeReversal, reversalSteps, takeReversal } from "./reversal-steps.ts";
import {
  asked,
  askAboutSale,
  asUnseen,
  concludePayment,
  toReversing,
  withCase,
  type At,
  type Setting,
} from "./setting.ts";
import {
  doing,
  nothing,
  sent,
  WHOLE,
  withPayment,
  type Request,
  type Scenario,
  type World,
} from "./world.ts";

type Step = Event<World>[];
/**
 * The next steps of `payments` with the payment: the call of the process that claimed it, or recovery's next
 * attempt. Unless inquiries are slow, nothing happens between an answer and its effect.
 */
export function paymentSteps(world: World, setting: Setting): Step {
  const steps = stepsOf(world, setting);
  if (setting.scenario.slowInquiries) return steps;
  return steps.flatMap((event) => {
    const { hand } = event.state;
    if (hand?.at !== "asked") return [event];
    return take(event.state, hand, setting).map(({ state }) => ({ label: event.label, state }));
  });
}

function stepsOf(world: World, setting: Setting): Step {
  const { hand, payment } = world;
  switch (hand?.at) {
    case undefined:
      if (payment.operation) return operationSteps(world, setting);
      if (payment.state === "AUTHORIZING") return recover(world, setting);
      return reversalSteps(world, setting);
    case "sending":
      return call(world, hand);
    case "calling":
      return [];
    case "answered":
      return conclude(world, hand, setting);
    case "asked":
      return take(world, hand, setting);
    case "reversing":
    case "ending":
      return reversalSteps(world, setting);
    default:
      return hand satisfies never;
  }
}

function recover(world: World, setting: Setting): Step {
  const answer = askAboutSale(world, setting);
  return [asked(world, { at: "asked", about: "sale", answer })];
}

/** The effect of an inquiry's answer. */
function take(world: World, hand: At<"asked">, setting: Setting): Step {
  const label = `payments records the answer for the ${hand.about}: ${hand.answer.kind}`;
  const one = (state: World): Step => [{ label, state }];
  switch (hand.about) {
    case "sale":
      return world.payment.state === "AUTHORIZING"
        ? one(takeSale(world, hand, setting))
        : one(doing(withCase(world, hand.answer), { at: "reversing", found: hand.answer }));
    case "operation":
      return one(takeOperation(world, hand.answer, setting));
    case "reversal refund":
      return one(takeReversal(world, hand.answer, setting));
    default:
      return hand.about satisfies never;
  }
}

function takeSale(world: World, { answer }: At<"asked">, { ours, scenario }: Setting): World {
  if (scenario.throws && answer.kind !== "not_found") {
    return doing(ours.countsThrown ? withPayment(world, { openCase: "an attempt failed" }) : world, null);
  }
  const { age, heard } = world.payment;
  const asked = { ...money(WHOLE), ageMs: AGE_MS[age], abandoned: false, heard: heard !== "" };
  const decision = ours.decideRecovery(asked, asVerdict(answer), LIMITS);
  switch (decision.action) {
    case "conclude":
      return concludePayment(world, decision.to);
    case "reverse":
      return doing(toReversing(world), { at: "reversing", found: answer });
    case "wait":
      return doing(withCase(world, answer), null);
    default:
      return decision satisfies never;
  }
}

/** The call leaves the machine, or nothing of it does. */
function call(world: World, { request, isFirst, isUnseen }: At<"sending" | "calling">): Step {
  const name = request.kind === "reverse" ? "reversal" : request.ref;
  return [
    {
      label: `payments sends the ${name}`,
      state: {
        ...doing(world, { at: "calling", request, isFirst, ...asUnseen(isUnseen) }),
        wire: sent(world.wire, request),
      },
    },
    {
      label: `payments cannot send the ${name}`,
      state: doing(world, {
        at: "answered",
        request,
        isFirst,
        answer: nothing("not_sent"),
        ...asUnseen(isUnseen),
      }),
    },
  ];
}

function conclude(world: World, hand: At<"answered">, setting: Setting): Step {
  const outcomes = outcomesOf(world, hand, setting);
  if (world.payment.operation)
    return outcomes.map(({ label, outcome }) => ({
      label,
      state: concludeOperation(world, hand.isFirst, outcome, setting),
    }));
  if (world.payment.state !== "AUTHORIZING")
    return outcomes.map(({ label }) => ({ label, state: concludeReversal(world, hand, setting) }));
  return outcomes.flatMap(({ label, outcome }) =>
    concludeSale(world, hand, outcome, setting).map((event) => ({ label, ...event })),
  );
}

function concludeSale(
  world: World,
  { request }: At<"answered">,
  outcome: AcquirerOutcome,
  setting: Setting,
): { label?: string; state: World }[] {
  const { ours, scenario } = setting;
  const accounts = routeOf(scenario).slice(request.account);
  const [next] = ours.routeAfter(outcome, accounts, { mayRetry: request.account === 0 });
  if (next) {
    const account = Number(next.accountId);
    const state = doing(world, { at: "sending", request: { ...request, account }, isFirst: true });
    // One statement begins the call and moves the payment, which is no pure function.
    const moved = ours.movesPayment ? withPayment(state, { account }) : state;
    return [{ label: "payments moves the payment to the next account", state: moved }];
  }
  const isRetry = world.book.some(({ account, state }) => account < request.account && state === "declined");
  const decision = ours.decideAuthorization(outcome, isRetry ? SOFTLY_DECLINED : undefined);
  // The process that should have stored it has not, and leaves it to recovery.
  if (scenario.throws && decision.to !== "UNKNOWN") return [{ state: doing(world, null) }];
  if (decision.to === "UNKNOWN") return [{ state: doing(withHeard(world, decision.heard), null) }];
  const after =
    decision.to === "REVERSING"
      ? toReversing(withHeard(world, decision.heard))
      : concludePayment(world, decision.to);
  return [{ state: doing(after, null) }];
}

/** The story's accounts, each named by its number. */
function routeOf({ accounts, retries }: Scenario) {
  const ids = Array.from({ length: accounts }, (_, account) => `${account}`);
  return ids.map((accountId) => ({ accountId, retriesAt: retries ? ids : [] }));
}

export function saleRequest({ type }: Scenario): Request {
  return { kind: type === "PAYMENT" ? "sale" : "authorize", ref: SALE, amount: WHOLE, account: 0 };
}
