import type { IssuerCode } from "../bank/refusals.ts";
import { behaviourOf, type Behaviour } from "./behaviours.ts";

/** The bank's behaviour with a card: that of the acquirer simulator's cards, so that one test serves all banks. */
export function testCard(pan: string): Behaviour {
  return testCards.get(pan) ?? behaviourOf("plain");
}

const testCards = new Map<string, Behaviour>([
  ["4000000000000002", declines("05")],
  ["4000000000009995", declines("51")],
  ["4000000000000069", declines("54")],
  ["4000000000000119", behaviourOf("hang")],
  ["4000000000000127", behaviourOf("hang_before")],
  ["4000000000000101", behaviourOf("late")],
  ["4000000000000259", behaviourOf("late_effect")],
  ["4000000000000341", behaviourOf("http_500")],
  ["4000000000000036", behaviourOf("garbage")],
  ["4000000000000044", behaviourOf("wrong_amount")],
  ["4000000000000051", behaviourOf("reset")],
]);

function declines(issuerCode: IssuerCode): Behaviour {
  return { name: "decline", issuerCode };
}

/** The end of a card's authentication: an mdStatus without a page, or a `challenge`. */
export function mdStatusOf(pan: string): string {
  const named = mdStatuses.get(pan);
  if (named) return named;
  const last = pan.slice(-1);
  return pan.startsWith(MD_STATUS_BIN) && last !== "9" ? last : "challenge";
}

/** The last digit of a card with this BIN is the mdStatus; 9 is a challenge. */
const MD_STATUS_BIN = "400003";

const mdStatuses = new Map([
  ["4000000000003055", "1"],
  ["4000000000003097", "0"],
]);
