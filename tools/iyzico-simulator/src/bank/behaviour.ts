/** The treatments of a call; `README.md` describes each. */
export const behaviourNames = [
  "plain",
  "decline",
  "partial",
  "hang",
  "hang_before",
  "late",
  "late_effect",
  "http_500",
  "garbage",
  "wrong_amount",
  "wrong_payment_id",
  "wrong_signature",
  "control_characters",
  "reset",
  "unknown_done",
  "unknown_not_done",
  "limited",
] as const;
export type BehaviourName = (typeof behaviourNames)[number];
