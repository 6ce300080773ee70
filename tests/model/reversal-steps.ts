import { withSubReference } from "@holdfast/acquirer";
import { chargeOf, SALE } from "./bank.ts";
import type { Event } from "./explore.ts";
import {
  AGE_MS,
  ask,
  asOutcome,
  asReversal,
  asVerdict,
  LIMITS,
  money,
  outcomeOf,
  SENT_MS_AGO,
  type Ours,
} from "./ours.ts";
import {
  asked,
  askAboutSale,
  asUnseen,
  concludePayment,
  withCase,
  type At,
  type Setting,
} from "./setting.ts";
import {
  doing,
  shownBook,
  WHOLE,
  withPayment,
  withReversal,
  type Answer,
  type Payment,
  type Request,
  type World,
} from "./world.ts";

type Step = Event<World>[];

/** The next steps of recovery, the watch or operators with a payment that is to be reversed, or was. */
export function reversalSteps(world: World, setting: Setting): Step {
  const { hand } = world;
  if (hand?.at === "reversing") return sendReversal(world, hand.found, setting);
  if (hand?.at === "ending") return [end(world, setting)];
  if (!isReversing(world)) return [];
  return [...begin(world, setting), ...operators(world, setting)];
}

/** Being reversed, or inquired once more after the day on which no sign of it was seen. */
function isReversing({ payment, time }: World): boolean {
  if (payment.state === "REVERSING") return true;
  return payment.state === "FAILED" && payment.watch === "waiting" && time.dayIsClosed;
}

function begin(world: World, setting: Setting): Step {
  const { reversal } = world.payment;
  if (reversal.isSettled) {
    const answer = askAboutRefund(world, setting);
    return [asked(world, { at: "asked", about: "reversal refund", answer })];
  }
  const answers = [askAboutSale(world, setting), { kind: "unknown", amount: 0, id: "" } as const];
  return answers.map((answer) => asked(world, { at: "asked", about: "sale", answer }));
}

function askAboutRefund(world: World, { ours, scenario }: Setting): Answer {
  const { payment } = world;
  const attempt = {
    ref: reversalRefundReference(payment),
    kind: "refund",
    amount: amountToRefund(payment),
  } as const;
  return ask(ours, { book: shownBook(world), account: payment.account, bank: scenario.bank }, attempt);
}

export function reversalRefundReference({ reversal }: Payment): string {
  return withSubReference("reversal refund", reversal.sub);
}

const amountToRefund = ({ reversal }: Payment) => reversal.approved || WHOLE;

function sendReversal(world: World, found: Answer, { ours, scenario }: Setting): Step {
  if (ours.isUndone(asVerdict(found))) {
    return [{ label: "nothing is left at the bank", state: doing(world, { at: "ending", by: "reversal" }) }];
  }
  const { reversal, account } = world.payment;
  const known = { approved_minor: reversal.approved === 0 ? null : BigInt(reversal.approved) };
  const amount = Number(ours.amountToReverse({ amount_minor: BigInt(WHOLE) }, known, asVerdict(found)));
  const noted = amount === WHOLE ? world : withReversal(world, { approved: amount });
  const request: Request = { kind: "reverse", ref: SALE, amount, account };
  const isFirst = reversal.last !== "may arrive";
  // After the end this matters only to a refund, which a stray reversal might void.
  const isNoted = !isOver(world) || scenario.bank.voidsLast;
  const sending = isNoted ? withReversal(noted, { last: "may arrive" }) : noted;
  const hand = { at: "sending", request, isFirst, ...asUnseen(found.kind === "not_found") } as const;
  return [{ label: "payments decides to reverse the payment", state: doing(sending, hand) }];
}

/** Takes the answer to a reversal, or to the refund of a settled charge. */
export function concludeReversal(
  world: World,
  { request, answer, isFirst, isUnseen }: At<"answered">,
  { ours }: Setting,
): World {
  if (request.kind !== "reverse") {
    const noted = answer.kind === "not_sent" ? withReversal(world, { sent: "never" }) : world;
    return afterRefund(noted, ours, asOutcome(ours, answer, request.amount));
  }
  const ageMs = world.payment.state === "FAILED" ? Number.POSITIVE_INFINITY : AGE_MS[world.payment.age];
  const { result, refusal } = ours.decideAfterReversal(asReversal(answer), ageMs, LIMITS, isUnseen === true);
  const { kind } = asReversal(answer);
  // Each sending has its own row: an answer ends that one alone.
  const noted = withReversal(world, {
    ...(isFirst && kind !== "unknown" && { last: "never" }),
    ...(kind === "settled" && { isSettled: true, isRefused: false }),
    ...(kind === "refused" && { isRefused: true }),
  });
  const known = refusal && kind === "refused" ? refused(noted) : noted;
  if (result.kind === "wait") return doing(known, null);
  const isNew = result.by === "horizon" && known.payment.watch === "none";
  return doing(isNew ? withPayment(known, { watch: "waiting" }) : known, { at: "ending", by: result.by });
}

/** Applies an inquiry's answer about the refund of a settled charge. */
export function takeReversal(world: World, answer: Answer, { ours, scenario }: Setting): World {
  const { reversal } = world.payment;
  const amount = amountToRefund(world.payment);
  const outcome = outcomeOf(ours, answer, { amount, sent: reversal.sent, bank: scenario.bank });
  switch (outcome) {
    case "wait":
      return doing(world, null);
    case "repeat":
    case "repeat_under_new_reference": {
      if (scenario.bank.repetition !== "replay" && ours.mayBeReversed(callsOf(reversal), LIMITS.horizonMs))
        return doing(world, null);
      const sub = reversal.sub + (outcome === "repeat" ? 0 : 1);
      const noted = withReversal(world, { sent: "may arrive", sub });
      const { account } = noted.payment;
      const request: Request = {
        kind: "refund",
        ref: reversalRefundReference(noted.payment),
        amount,
        account,
      };
      return doing(noted, { at: "sending", request, isFirst: false });
    }
    default:
      return afterRefund(withCase(world, answer), ours, outcome);
  }
}

/** The reversals that may still take effect, as `payments` has noted them. */
function callsOf({ last }: Payment["reversal"]): Parameters<Ours["mayBeReversed"]>[0] {
  const sent_ms_ago = SENT_MS_AGO[last];
  return sent_ms_ago === null ? [] : [{ kind: "reverse", answered_at: null, outcome: null, sent_ms_ago }];
}

function afterRefund(world: World, ours: Ours, outcome: Parameters<Ours["decideAfterRefund"]>[0]): World {
  const { result, refusal } = ours.decideAfterRefund(outcome, world.payment.reversal.sub);
  const noted = refusal ? refused(withReversal(world, { isRefused: true })) : world;
  return doing(noted, result.kind === "undone" ? { at: "ending", by: result.by } : null);
}

const refused = (world: World) =>
  world.payment.openCase === ""
    ? withPayment(world, { openCase: "the bank refuses to give it back" })
    : world;

function end(world: World, { scenario }: Setting): Event<World> {
  const ended = isOver(world) ? withPayment(world, { watch: "over" }) : concludePayment(world, "FAILED");
  const label = isOver(world) ? "the watch is over" : "the payment is FAILED";
  // No further request for it follows, unless it is watched: see `sendReversal`.
  const mayFollow = scenario.bank.voidsLast && ended.payment.watch === "waiting";
  return { label, state: doing(mayFollow ? ended : withReversal(ended, { last: "never" }), null) };
}

const isOver = ({ payment }: World) => payment.state === "FAILED";

/**
 * Two operators, who report the bank's answer. It is true at that moment, and does not include calls on their
 * way.
 */
function operators(world: World, setting: Setting): Step {
  const { payment, book } = world;
  if (payment.state !== "REVERSING") return [];
  const { isSettled, isRefused, approved, last, sent } = payment.reversal;
  const reversal = {
    settled_at: isSettled ? new Date(0) : null,
    refused_at: isRefused ? new Date(0) : null,
    refusal_code: null,
    refusal_message: null,
    approved_minor: approved === 0 ? null : BigInt(approved),
    last_sent_ms_ago: SENT_MS_AGO[last],
  };
  const row = { state: payment.state, charged_back_minor: 0n, last_inquiry: null, ...AMOUNT };
  const isAllowed = (outcome: "SUCCESS" | "FAILED") =>
    setting.ours.refusalOf(row, reversal, outcome, LIMITS.horizonMs) === undefined;
  const steps: Step = [];
  const stands = chargeOf(book, payment.account)?.amount === WHOLE;
  const refund = isSettled ? askAboutRefund(world, setting).kind : undefined;
  const sale = askAboutSale(world, setting);
  const isWhole = sale.kind === "approved" && sale.amount === WHOLE;
  // A record may leave out a refund that the bank has declined, and one that is on its way. Two refunds after that are
  // more than can be searched.
  const isUnseen =
    setting.scenario.refunds < 2 && refund === "not_found" && isRefused && sent !== "may arrive";
  const isSure = refund === "declined" || ((refund === undefined || isUnseen) && isWhole);
  if (stands && isSure && isAllowed("SUCCESS")) {
    steps.push({
      label: "two operators resolve the payment as SUCCESS",
      state: concludePayment(world, "SUCCESS"),
    });
  }
  if (isRefused && isAllowed("FAILED")) {
    steps.push({
      label: "two operators resolve the payment as FAILED",
      state: concludePayment(world, "FAILED"),
    });
  }
  return steps;
}

const AMOUNT = { amount_minor: money(WHOLE).amountMinor };
