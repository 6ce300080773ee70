import { z } from "zod";

import type { EnrolmentOutcome } from "@holdfast/acquirer";
import { ownName, word } from "./answer-fields.ts";
import { containsCardNumber } from "./find-card-number.ts";
import type { IyzicoSecrets } from "./iyzico-settings.ts";
import { INVALID_ANSWER, MISMATCH } from "./read-envelope.ts";
import { isGenuine } from "./signatures.ts";

/**
 * The answer `success` to the first half of 3-D Secure: a whole page that posts itself to the issuer. The session is
 * the payment's id at iyzico. A page that is not text, or has the card's number in it, is never shown.
 */
export function readChallenge(
  answer: Readonly<Record<string, unknown>>,
  { orderId, pan }: { orderId: string; pan: string },
  secrets: IyzicoSecrets,
): EnrolmentOutcome {
  const read = initialization.safeParse(answer);
  if (!read.success || !isGenuine("initialization", read.data, secrets)) return INVALID_ANSWER;
  const { paymentId, conversationId, threeDSHtmlContent } = read.data;
  if (conversationId !== orderId) return MISMATCH;
  const html = readPage(threeDSHtmlContent);
  if (html === undefined || containsCardNumber(html, pan)) return INVALID_ANSWER;
  return { kind: "challenge", session: paymentId, challenge: { type: "html", html } };
}

const initialization = z.object({
  // It is sent again as it is, so nothing of it is mended.
  paymentId: word.pipe(z.string().regex(/^[\w-]+$/)),
  conversationId: ownName,
  signature: z.string().max(128),
  threeDSHtmlContent: z.base64(),
});

function readPage(base64: string): string | undefined {
  try {
    const html = utf8.decode(Buffer.from(base64, "base64"));
    return BEGINS_A_PAGE.test(html) && !REFUSED_CHARACTERS.test(html) ? html : undefined;
  } catch {
    return undefined;
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });
const BEGINS_A_PAGE = /^\s*<[!a-z]/i;
/** Control characters other than white space; PostgreSQL stores no U+0000. */
const REFUSED_CHARACTERS = /[^\P{Cc}\t\n\f\r]/u;
