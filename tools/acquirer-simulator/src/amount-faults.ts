import type { BehaviourName } from "./behaviour.ts";

/** The fault that is selected by the last two digits of a follow-up's minor units. */
export function faultOfAmount(amountMinor: bigint): BehaviourName {
  return faultsByDigits.get(amountMinor % 100n) ?? "plain";
}

const faultsByDigits = new Map<bigint, BehaviourName>([
  [91n, "decline"],
  [92n, "hang"],
  [93n, "hang_before"],
  [94n, "late"],
  [95n, "http_500"],
]);
