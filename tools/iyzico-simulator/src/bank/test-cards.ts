import { isLuhnValid } from "@holdfast/bank-simulator/core";

import type { ErrorCode } from "../wire/error-codes.ts";
import type { BehaviourName } from "./behaviour.ts";

/** The behaviour of a card. */
export type CardPlan = {
  /** The code with which the issuer declines its payments; null where it approves them. */
  resultCode: ErrorCode | null;
  /** The treatment of the call that moves its money. */
  behaviour: BehaviourName;
  /** `fails`: the cardholder is not authenticated, and sees no challenge. `refused`: 3-D Secure does not start. */
  threeDs: "challenge" | "frictionless" | "fails" | "refused";
  /** The `mdStatus` of a cardholder who gave the right code. */
  mdStatus: string;
  /** Its payments can be neither cancelled nor refunded nor captured. */
  refusesFollowUps: boolean;
};

/** @returns undefined for an invalid card number: its Luhn digit is wrong, and it is no test card either. */
export function cardPlan(pan: string): CardPlan | undefined {
  const special = testCards.get(pan);
  if (!special && !isLuhnValid(pan)) return undefined;
  return { ...plain, ...special };
}

const plain: CardPlan = {
  resultCode: null,
  behaviour: "plain",
  threeDs: "challenge",
  mdStatus: "1",
  refusesFollowUps: false,
};

const testCards = new Map<string, Partial<CardPlan>>([
  // Source: iyzico protocol, sandbox cards.
  ["4111111111111129", { resultCode: "10051" }],
  ["4129111111111111", { resultCode: "10005" }],
  ["4128111111111112", { resultCode: "10012" }],
  ["4127111111111113", { resultCode: "10041" }],
  ["4126111111111114", { resultCode: "10043" }],
  ["4125111111111115", { resultCode: "10054" }],
  ["4124111111111116", { resultCode: "10084" }],
  ["4123111111111117", { resultCode: "10057" }],
  ["4122111111111118", { resultCode: "10058" }],
  ["4121111111111119", { resultCode: "10034" }],
  ["4120111111111110", { resultCode: "10209" }],
  ["4130111111111118", { resultCode: "10204" }],
  ["4131111111111117", { mdStatus: "0" }],
  ["4141111111111115", { mdStatus: "4" }],
  ["4151111111111112", { threeDs: "refused" }],
  ["5406670000000009", { refusesFollowUps: true }],
  ["4151111111111393", { resultCode: "10093" }],
  // These are good, and are here because a test card need not have a right Luhn digit.
  ["5528790000000008", {}],
  ["5526080000000006", {}],
  ["4603450000000000", {}],
  ["5890040000000016", {}],
  ["9792072000017956", {}],
  ["374427000000003", {}],
  ["5400010000000004", {}],
  ["4054180000000007", {}],
  // Source: the test cards of tools/bank-simulator/src/protocols/sim/README.md, with iyzico's codes.
  ["4000000000000002", { resultCode: "10005" }],
  ["4000000000009995", { resultCode: "10051" }],
  ["4000000000000069", { resultCode: "10054" }],
  ["4000000000000119", { behaviour: "hang" }],
  ["4000000000000127", { behaviour: "hang_before" }],
  ["4000000000000101", { behaviour: "late" }],
  ["4000000000000259", { behaviour: "late_effect" }],
  ["4000000000000341", { behaviour: "http_500" }],
  ["4000000000000036", { behaviour: "garbage" }],
  ["4000000000000044", { behaviour: "wrong_amount" }],
  ["4000000000000051", { behaviour: "reset" }],
  ["4000000000003220", { threeDs: "challenge" }],
  ["4000000000003055", { threeDs: "frictionless" }],
  ["4000000000003097", { threeDs: "fails" }],
]);
