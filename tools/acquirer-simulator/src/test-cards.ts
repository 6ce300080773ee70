import { isLuhnValid } from "@holdfast/simulator-kit";

import type { Behaviour, BehaviourName } from "./behaviour.ts";

/** The bank's behaviour with a card. A card that is not in the table approves where its Luhn digit is right. */
export function testCard(pan: string): Behaviour {
  if (!isLuhnValid(pan)) return { name: "decline", forcedCode: "14" };
  return testCards.get(pan) ?? fault("plain");
}

const testCards = new Map<string, Behaviour>([
  ["4000000000000002", { name: "decline", forcedCode: "05" }],
  ["4000000000009995", { name: "decline", forcedCode: "51" }],
  ["4000000000000069", { name: "decline", forcedCode: "54" }],
  ["4000000000000119", fault("hang")],
  ["4000000000000127", fault("hang_before")],
  ["4000000000000101", fault("late")],
  ["4000000000000259", fault("late_effect")],
  ["4000000000000341", fault("http_500")],
  ["4000000000000036", fault("garbage")],
  ["4000000000000044", fault("wrong_amount")],
  ["4000000000000051", fault("reset")],
]);

function fault(name: BehaviourName): Behaviour {
  return { name, forcedCode: undefined };
}
