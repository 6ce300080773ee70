import type { Challenge } from "@holdfast/acquirer";
import { findCard, type SoughtCard } from "./card-in-text.ts";

/** The reason why a challenge is neither kept nor shown; also the cause in the payment's history. */
export type ChallengeFault = typeof CARRIES_CARD | "challenge_cannot_be_shown";

export const CARRIES_CARD = "challenge_carries_card";

/**
 * Checks a challenge before it is stored and shown: some kinds of banks put the card into the form that the
 * browser posts. An adapter must not pass on such a form, and this check does not depend on the adapter.
 */
export function challengeFault(
  { session, challenge }: { session: string; challenge: Challenge },
  card: SoughtCard,
): ChallengeFault | undefined {
  const texts = [session, ...textsOf(challenge)];
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  if (length > CHALLENGE_LENGTH_MAX || !texts.every(canBeStored)) return "challenge_cannot_be_shown";
  // Within one field, and over fields that are only pieces of it.
  const findings = new Set([...texts, texts.join("\n")].map((text) => findCard(text, card)));
  if (findings.has("card")) return CARRIES_CARD;
  return findings.has("unreadable") ? "challenge_cannot_be_shown" : undefined;
}

/** The limit in UTF-16 code units; a page that takes the browser to the issuer has some thousand. */
const CHALLENGE_LENGTH_MAX = 131_072;

function textsOf(challenge: Challenge): string[] {
  switch (challenge.type) {
    case "post":
      return [challenge.url, ...Object.entries(challenge.fields).flat()];
    case "html":
      return [challenge.html];
    default:
      return challenge satisfies never;
  }
}

/** PostgreSQL's JSON has neither. */
function canBeStored(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}
