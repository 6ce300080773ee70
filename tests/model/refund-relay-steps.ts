import { withSubReference } from "@holdfast/acquirer";
import type { OtherRefund } from "../../services/payments/src/follow-up/refund-reservation/refund-calls.ts";
import type { Event } from "./explore.ts";
import { asVerdict } from "./ours.ts";
import type { Setting } from "./setting.ts";
import {
  HALF,
  nothing,
  sent,
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
  const notSent: Refund["relay"] = { at: "answered", wasSent, answer: nothing("not_sent") };
  const unsent = (label: string): Step => [{ label, state: withRefund(world, name, { relay: notSent }) }];
  if (relay?.at === "begun") {
    if (reservation !== "ACTIVE") return unsent(`payments has no reservation of refund ${name}`);
    if (!namesReferences && setting.ours.isUnderWay(reservationOf(world[otherOf(name)])))
      return unsent(`refund ${name} waits for the other one`);
    const { account } = world.payment;
    const request: Request = { kind, ref: referenceOf(world, name), amount: HALF, account };
    const begun = withRefund(world, name, {
      relay: { at: "calling", wasSent },
      ...(!namesReferences && { mayBeUnderWay: true }),
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
  const { answer } = relay;
  const noted = namesReferences ? world : recordAnswer(world, name, { answer, wasSent }, setting);
  const isAwaited = hand?.at === "waiting";
  const state = withRefund(noted, name, {
    relay: null,
    ...(isAwaited && { hand: { at: "answered", answer } }),
  });
  return [{ label: `payments passes on the answer for refund ${name}: ${answer.kind}`, state }];
}

/** The record of `payments` about a refund's call at a bank without references of ours. */
export function reservationOf({ reservation, mayBeUnderWay, externalId }: Refund): OtherRefund {
  return {
    state: reservation === "NONE" ? "RELEASED" : reservation,
    sent_at: mayBeUnderWay ? new Date(0) : null,
    external_transaction_id: externalId === "" ? null : externalId,
  };
}

/** @param wasSent true if it had been sent before this call. */
export function recordAnswer(
  world: World,
  name: RefundName,
  { answer, wasSent }: { answer: Answer; wasSent: boolean },
  { ours, scenario }: Setting,
): World {
  if (scenario.bank.namesReferences) return world;
  const known = ours.knownBy(asVerdict(answer), wasSent ? new Date(0) : null);
  if (!known) return world;
  return withRefund(
    world,
    name,
    "external_transaction_id" in known
      ? { externalId: known.external_transaction_id }
      : { mayBeUnderWay: known.sent_at !== null },
  );
}
