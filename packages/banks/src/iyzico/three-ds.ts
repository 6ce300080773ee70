import type {
  Authentication,
  BrowserReturn,
  CompletionOutcome,
  DeclineClass,
  EnrolmentOutcome,
} from "@holdfast/acquirer";
import {
  challengePage,
  INVALID_ANSWER,
  MISMATCH,
  notGenuine,
  ownName,
  returnedFields,
} from "@holdfast/acquirer/kit";
import { z } from "zod";

import type { Answer } from "./envelope.ts";
import type { IyzicoSecrets } from "./iyzico-settings.ts";
import { isGenuine } from "./signatures.ts";

/**
 * The answer `success` to the first half of 3-D Secure: a whole page that posts itself to the issuer. The session is
 * the payment's id at iyzico. A page that is not text, or has the card's number in it, is never shown.
 */
export function readChallenge(
  answer: Answer,
  { orderId, pan }: { orderId: string; pan: string },
  secrets: IyzicoSecrets,
): EnrolmentOutcome {
  const read = isGenuine("initialization", answer, secrets) ? initialization.safeParse(answer) : undefined;
  if (!read?.success) return INVALID_ANSWER;
  const { paymentId, conversationId, threeDSHtmlContent } = read.data;
  if (conversationId !== orderId) return MISMATCH;
  const html = challengePage(decoded(threeDSHtmlContent), { pan });
  if (html === undefined) return INVALID_ANSWER;
  return { kind: "challenge", session: paymentId, challenge: { type: "html", html } };
}

const initialization = z.object({
  // The bank's name of the payment, which is sent back unchanged.
  paymentId: z.string().regex(/^[\w-]{1,64}$/),
  conversationId: ownName,
  threeDSHtmlContent: z.base64(),
});

function decoded(base64: string): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(base64, "base64"));
  } catch {
    return undefined;
  }
}

/** The meaning of a browser's return: the cardholder was authenticated, or how the completion ends without a call. */
export type ReadReturn =
  | { kind: "authenticated"; authentication: Authentication }
  | Exclude<CompletionOutcome, { kind: "approved" | "expired" | "not_sent" }>;

/**
 * Checks the whole return before anything is sent. iyzico signs the order and its own name of the payment. It
 * keeps amount and currency under that name, and the second half of 3-D Secure compares them again.
 * @param session iyzico's name of the payment, from its signed answer to the first half.
 */
export function readReturn(
  returned: BrowserReturn | undefined,
  { orderId, session }: { orderId: string; session: string },
  secrets: IyzicoSecrets,
): ReadReturn {
  const fields = returnedFields(returned ?? { fields: [] }, (name) => (SIGNED.has(name) ? name : undefined));
  if (fields && !fields.get("signature")) return notGenuine("no_signature");
  if (!fields || !isGenuine("return", Object.fromEntries(fields), secrets)) return notGenuine("signature");
  if (fields.get("conversationId") !== orderId || fields.get("paymentId") !== session)
    return notGenuine("other_order");
  const status = fields.get("status");
  const mdStatus = fields.get("mdStatus") ?? "";
  if (status !== "success" && status !== "failure") return INVALID_ANSWER;
  if (status === "success" && mdStatus === "1")
    return { kind: "authenticated", authentication: { transStatus: "Y" } };
  return notAuthenticated(mdStatus);
}

const SIGNED = new Set([
  "conversationData",
  "conversationId",
  "mdStatus",
  "paymentId",
  "status",
  "signature",
]);

/** iyzico takes a payment only with `mdStatus` 1, so every other one is final, an attempt (4) included. */
function notAuthenticated(mdStatus: string): ReadReturn {
  const { transStatus, declineClass, text } = OTHER_STATUSES.get(mdStatus) ?? NOT_KNOWN;
  return {
    kind: "declined",
    declineClass,
    resultCode: /^\d$/.test(mdStatus) ? `mdStatus_${mdStatus}` : "mdStatus",
    resultMessage: text,
    authentication: { transStatus },
  };
}

type Failed = { transStatus: Authentication["transStatus"]; declineClass: DeclineClass; text: string };
const OTHER_STATUSES: ReadonlyMap<string, Failed> = new Map([
  ["0", { transStatus: "N", declineClass: "soft", text: "cardholder not authenticated" }],
  ["2", { transStatus: "U", declineClass: "hard", text: "card or issuer not enrolled" }],
  ["3", { transStatus: "U", declineClass: "hard", text: "issuer not enrolled" }],
  ["4", { transStatus: "A", declineClass: "hard", text: "authentication only attempted" }],
  ["5", { transStatus: "U", declineClass: "technical", text: "authentication not possible" }],
  ["6", { transStatus: "U", declineClass: "technical", text: "3-D Secure error" }],
  ["7", { transStatus: "U", declineClass: "technical", text: "system error" }],
  ["8", { transStatus: "U", declineClass: "hard", text: "unknown card" }],
]);
const NOT_KNOWN: Failed = { transStatus: "U", declineClass: "technical", text: "not authenticated" };
