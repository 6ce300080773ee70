import type { Order } from "./book.ts";
import { hadPayment } from "./rules.ts";

/**
 * The codes of ISO 8583 with which the issuers of test cards decline; each protocol translates them into its
 * own codes.
 */
export type IssuerDecline = "do_not_honour" | "insufficient_funds" | "expired_card";

/** The end of a card's authentication. A card that is not in the table does not take part in 3-D Secure. */
export type AuthenticationPlan = "challenge" | "frictionless" | "fails";

export type TestCard = {
  decline?: IssuerDecline;
  /** The treatment of the call that moves the card's money. */
  fault?: "hang" | "hang_before" | "late" | "late_effect" | "http_500" | "garbage" | "wrong_amount" | "reset";
  authentication?: AuthenticationPlan;
};

/** The behaviour of a card at every bank, so that one test serves all of them. Protocols have further cards. */
export function testCard(pan: string): TestCard {
  return testCards.get(pan) ?? {};
}

const testCards = new Map<string, TestCard>([
  ["4000000000000002", { decline: "do_not_honour" }],
  ["4000000000009995", { decline: "insufficient_funds" }],
  ["4000000000000069", { decline: "expired_card" }],
  ["4000000000000119", { fault: "hang" }],
  ["4000000000000127", { fault: "hang_before" }],
  ["4000000000000101", { fault: "late" }],
  ["4000000000000259", { fault: "late_effect" }],
  ["4000000000000341", { fault: "http_500" }],
  ["4000000000000036", { fault: "garbage" }],
  ["4000000000000044", { fault: "wrong_amount" }],
  ["4000000000000051", { fault: "reset" }],
  ["4000000000003220", { authentication: "challenge" }],
  ["4000000000003055", { authentication: "frictionless" }],
  ["4000000000003097", { authentication: "fails" }],
]);

/** The result of an authentication, as far as its value in `eci` depends on it. */
export type AuthenticationEnd = "authenticated" | "attempted" | "failed";

/** Mastercard's values run in the opposite direction to all others. */
export function eciOf(pan: string, end: AuthenticationEnd): string {
  const isMastercard = /^(?:5[1-5]|2[2-7])/.test(pan);
  switch (end) {
    case "authenticated":
      return isMastercard ? "02" : "05";
    case "attempted":
      return isMastercard ? "01" : "06";
    case "failed":
      return isMastercard ? "00" : "07";
    default:
      return end satisfies never;
  }
}

/** The mdStatus with which a card's authentication ends without a page; undefined for a challenge. */
export function mdStatusOf(pan: string): string | undefined {
  const { authentication } = testCard(pan);
  if (authentication) return { challenge: undefined, frictionless: "1", fails: "0" }[authentication];
  const last = pan.slice(-1);
  return pan.startsWith(MD_STATUS_BIN) && last !== "9" ? last : undefined;
}

/** The last digit of a card with this BIN is the mdStatus; 9 is a challenge. */
const MD_STATUS_BIN = "400003";

/** A fault, and the code of ISO 8583 with which the issuer declines. */
type Plan<Name> = {
  name: Name | "decline" | "plain" | NonNullable<TestCard["fault"]>;
  issuerCode: "05" | "51" | "54" | "82" | undefined;
};

/** The queue first, then the card, but not the card of an order that has succeeded: that is refused in any case. */
export function planOf<Name extends string>(
  queued: Name | undefined,
  order: Order<unknown> | undefined,
  card: { pan: string; cvv: string } | undefined,
): Plan<Name> {
  if (queued === "decline") return { name: queued, issuerCode: "05" };
  if (queued || !card || hadPayment({ order })) return { name: queued ?? "plain", issuerCode: undefined };
  if (card.cvv === DECLINED_CVV) return { name: "decline", issuerCode: "82" };
  const { decline, fault } = testCard(card.pan);
  return decline
    ? { name: "decline", issuerCode: DECLINE_CODES[decline] }
    : { name: fault ?? "plain", issuerCode: undefined };
}

/** The CVV that the issuer declines. */
export const DECLINED_CVV = "082";

const DECLINE_CODES = { do_not_honour: "05", insufficient_funds: "51", expired_card: "54" } as const;
