import { namesShown, withSubReference } from "@holdfast/acquirer";
import { namesFor, type BankCall } from "../../services/payments/src/bank/ledger/bank-call.ts";
import {
  namesOf,
  type OtherRefund,
} from "../../services/payments/src/follow-up/refund-reservation/other-refunds.ts";
import { tellAll } from "./bank-record.ts";
import type { Event } from "./explore.ts";
import { answerOf, ask, asVerdict, capabilitiesOf } from "./ours.ts";
import type { Setting } from "./setting.ts";
import {
  HALF,
  nothing,
  sent,
  shownBook,
  withRefund,
  type Answer,
  type Refund,
  type RefundName,
  type Request,
  type World,
} from "./world.ts";

type Step = Event<World>[];
export const REFUND_NAMES = ["a", "b"] as const satisfies readonly RefundName[];
export const otherOf = (name: RefundName) => (name === "a" ? "b" : "a");

/** Our reference of a refund, as it is sent now. */
export function referenceOf(world: World, name: RefundName): string {
  return withSubReference(`refund ${name}`, world[name].sub);
}

/** `payments` calls the bank for a refund, and keeps the result of the call. */
export function relaySteps(world: World, name: RefundName, setting: Setting): Step {
  const { relay, hand, reservation, kind } = world[name];
  const { namesReferences, release } = setting.scenario.bank;
  const wasSent = relay?.wasSent ?? false;
  const before = relay?.before ?? "never";
  const ended = (answer: Answer): Refund["relay"] => ({ at: "answered", wasSent, before, answer });
  const notSent = ended(nothing("not_sent"));
  const unsent = (label: string, how = notSent): Step => [
    { label, state: withRefund(world, name, { relay: how }) },
  ];
  if (relay?.at === "begun") {
    // Another call has begun since: nothing is sent, and the answer says nothing about that call.
    if (world[name].sent === "may arrive" && before !== "may arrive")
      return unsent(`payments finds a call of refund ${name} under way`, ended(nothing("pending")));
    if (reservation !== "ACTIVE") return unsent(`payments has no reservation of refund ${name}`);
    if (waits(world, name, setting)) return unsent(`refund ${name} waits for the other one`);
    const { account } = world.payment;
    const request: Request = { kind, ref: referenceOf(world, name), amount: HALF, account };
    const names = namesShown(tellAll(shownBook(world), account, setting.scenario.bank), kind) ?? [];
    const begun = withRefund(world, name, {
      relay: { at: "calling", wasSent, before },
      sent: "may arrive",
      ...(isTracked(setting) && { mayBeUnderWay: true }),
      ...(!namesReferences && { namesBefore: world[name].namesBefore ?? names.join() }),
    });
    const failed = withRefund(begun, name, { relay: notSent });
    const cannot = { label: `payments cannot send refund ${name}`, state: failed };
    // The protocol has no such call.
    if (kind === "release" && !release) return [cannot];
    return [
      { label: `payments sends refund ${name}`, state: { ...begun, wire: sent(world.wire, request) } },
      cannot,
    ];
  }
  if (relay?.at !== "answered") return [];
  const answer = believed(world, name, relay.answer, setting);
  const isNever = before === "never" && { namesBefore: null };
  const unmade = answer.kind === "not_sent" ? withRefund(world, name, { sent: before, ...isNever }) : world;
  const noted = recordAnswer(unmade, name, { answer, wasSent }, setting);
  const isAwaited = hand?.at === "waiting";
  const state = withRefund(noted, name, {
    relay: null,
    ...(isAwaited && { hand: { at: "answered", answer } }),
  });
  return [{ label: `payments passes on the answer for refund ${name}: ${answer.kind}`, state }];
}

/** The bank's answer about a refund, as far as the other refund allows one. */
export function askAboutRefund(world: World, name: RefundName, setting: Setting): Answer {
  const { ours, scenario } = setting;
  const { namesReferences } = scenario.bank;
  const other = reservationOf(world[otherOf(name)]);
  const names = namesFor(reservationOf(world[name]).calls, namesOf(other));
  const at = { book: shownBook(world), account: world.payment.account, bank: scenario.bank };
  const shown = ask(ours, at, {
    ref: referenceOf(world, name),
    kind: world[name].kind,
    amount: HALF,
    ...(!namesReferences && { names }),
  });
  const among = namesReferences ? shown : answerOf(ours.amongOthers(asVerdict(shown), [other]));
  return believed(world, name, among, setting);
}

/** An approval under the other refund's name may be the answer to the other refund. */
function believed(world: World, name: RefundName, answer: Answer, { ours, scenario }: Setting): Answer {
  if (answer.kind !== "approved" || answer.id === "") return answer;
  const callOf = (refund: RefundName, number: number) => ({
    number,
    kind: world[refund].kind,
    account_id: "a1",
    movement_id: refund,
    outcome: "approved" as const,
    heard_at: null,
    external_transaction_id: world[refund].externalId,
    names_before: namesBeforeOf(world[refund]),
  });
  const given = ours.nameGiven(
    callOf(name, 1),
    { name: answer.id },
    [callOf(name, 1), callOf(otherOf(name), 2)],
    capabilitiesOf(scenario.bank),
  );
  return given === "taken" ? nothing("mismatch") : answer;
}

/** True where one refund's calls decide about the other, or only names tell what they were. */
function isTracked({ scenario: { bank, refunds } }: Pick<Setting, "scenario">): boolean {
  return !bank.namesReferences || refunds > 1;
}

/** True where a refund is not sent while the other one, of the same amount, is under way. */
export function waits(world: World, name: RefundName, { ours, scenario }: Setting): boolean {
  const isNamed = scenario.bank.namesReferences;
  const other = reservationOf(world[otherOf(name)]);
  return ours.waitsFor({ amountMinor: BigInt(HALF), isNamed }, [{ ...other, amount_minor: BigInt(HALF) }]);
}

/** The record of `payments` about a refund's calls, as far as it is tracked. */
function reservationOf(refund: Refund): {
  state: OtherRefund["state"];
  calls: Pick<
    BankCall,
    "outcome" | "heard_at" | "answered_at" | "external_transaction_id" | "names_before"
  >[];
} {
  const { reservation, mayBeUnderWay, externalId } = refund;
  const state = reservation === "NONE" ? "RELEASED" : reservation;
  const calls: ReturnType<typeof reservationOf>["calls"] = [];
  const open = {
    outcome: null,
    heard_at: null,
    answered_at: null,
    external_transaction_id: null,
    names_before: namesBeforeOf(refund),
  };
  if (mayBeUnderWay) calls.push(open);
  if (externalId !== "")
    calls.push({
      ...open,
      outcome: "approved",
      answered_at: new Date(0),
      external_transaction_id: externalId,
    });
  return { state, calls };
}

function namesBeforeOf({ namesBefore }: Refund): string[] | null {
  return namesBefore?.split(",").filter(Boolean) ?? null;
}

/**
 * Each sending has a row, which its own answer or an inquiry's ends; only an unknown answer leaves it open.
 * @param wasSent true if the refund had been sent before this call: that row stays open if this call was not
 * sent.
 */
export function recordAnswer(
  world: World,
  name: RefundName,
  { answer, wasSent }: { answer: Answer; wasSent: boolean },
  { scenario }: Setting,
): World {
  if (!isTracked({ scenario })) return world;
  switch (answer.kind) {
    case "approved":
      return withRefund(world, name, answer.id === "" ? { mayBeUnderWay: false } : { externalId: answer.id });
    case "declined":
    case "expired":
      return withRefund(world, name, { mayBeUnderWay: false });
    case "not_sent":
      return withRefund(world, name, { mayBeUnderWay: wasSent });
    default:
      return world;
  }
}
