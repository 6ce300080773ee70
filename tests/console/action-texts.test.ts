// Each action that is written to an audit log has its words on the console's pages.
import { expect, test } from "vitest";
import { ACTIONS, actionText } from "../../services/console/src/ui/action-texts.ts";
import { auditSources } from "./audit-sources.ts";

/**
 * An object and an action on it, such as `payment.inquired`. Other names in these files have other endings.
 */
const ACTION = /"([a-z_]+\.[a-z_]*(?:ed|en|wn|back|_on|_off|_set|_sent|_read|_bank))"/g;
/** Actions whose names are composed at run time. */
const COMPOSED = ["reservation.released", "reservation.settled"];

function writtenActions(): string[] {
  const found = auditSources().flatMap((text) => [...text.matchAll(ACTION)].map(([, action]) => action!));
  return [...new Set([...found, ...COMPOSED])].toSorted();
}

test.each(Object.entries(ACTIONS))("each action has words, and words are of an action (%s)", (_, texts) => {
  expect(Object.keys(texts).toSorted()).toEqual(writtenActions());
});

test("an action is shown in words with its code behind them, and one without words by its code", () => {
  expect(actionText({ language: "en" }, "payment.inquired").text).toBe(
    '<span title="payment.inquired">Asked the bank about the payment</span>',
  );
  expect(actionText({ language: "tr" }, "payment.inquired").text).toContain(">Ödemeyi bankaya sordu<");
  expect(actionText({ language: "en" }, "thing.of_tomorrow").text).toBe("<code>thing.of_tomorrow</code>");
});
