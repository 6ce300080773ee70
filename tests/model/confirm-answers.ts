import type { AcquirerOutcome } from "@holdfast/acquirer";
import { standingIn } from "@holdfast/acquirer/kit";
import { recordOf } from "./bank-record.ts";
import { asOutcome, money } from "./ours.ts";
import type { At, Setting } from "./setting.ts";
import { shownBook, WHOLE, type Request, type World } from "./world.ts";

type Concluded = { label: string; outcome: AcquirerOutcome };

/**
 * The outcomes that an answered call may have for `payments`. If answers have no amount, the adapter takes an
 * approval to be of the requested amount and then asks the record, as `pay` and `captureOnce` do. The record
 * shows all movements so far, or does not answer.
 */
export function outcomesOf(
  world: World,
  { request, answer }: At<"answered">,
  { ours, scenario }: Setting,
): Concluded[] {
  const name = request.kind === "reverse" ? "reversal" : request.ref;
  const label = `payments records the answer for the ${name}: ${answer.kind}`;
  const of = CONFIRMED[request.kind];
  if (!scenario.bank.confirmsAmounts || of === undefined || answer.kind !== "approved")
    return [{ label, outcome: asOutcome(ours, answer, request.amount) }];
  const { amount } = request;
  const approval = asOutcome(ours, { ...answer, amount }, amount);
  if (approval.kind !== "approved") return [{ label, outcome: approval }];
  const known = of === "payment" ? approval.externalTransactionId : undefined;
  const standing = standingIn(recordOf(shownBook(world), request.account), ORDER, known);
  return [
    { label, outcome: ours.confirmedBy(standing, approval, of) },
    { label: `payments cannot confirm the ${name}`, outcome: ours.confirmedBy(LOST, approval, of) },
  ];
}

const CONFIRMED: Partial<Record<Request["kind"], "payment" | "capture">> = {
  sale: "payment",
  authorize: "payment",
  capture: "capture",
};
const ORDER = { orderId: "order", ...money(WHOLE), waitUntil: new Date(0) };
const LOST = { kind: "unknown", reason: "timeout" } as const;
