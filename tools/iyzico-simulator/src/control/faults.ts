import { FaultQueue } from "@holdfast/bank-simulator/core";

const bendings = [
  "hang",
  "late",
  "http_500",
  "garbage",
  "control_characters",
  "reset",
  "limited",
  "wrong_payment_id",
  "wrong_signature",
] as const;
const moving = [
  ...bendings,
  "decline",
  "hang_before",
  "late_effect",
  "unknown_done",
  "unknown_not_done",
] as const;
const payment = [...moving, "wrong_amount", "partial"] as const;
const followUp = [...moving, "wrong_amount"] as const;

const faultTable = {
  authorize: payment,
  sale: payment,
  complete: payment,
  capture: followUp,
  void: followUp,
  refund: followUp,
  enrol: moving,
  inquire: bendings,
} as const;

/** The calls for which a fault can be queued. */
export type FaultOperation = keyof typeof faultTable;

export type Faults = FaultQueue<typeof faultTable>;

export function createFaults(): Faults {
  return new FaultQueue(faultTable);
}
