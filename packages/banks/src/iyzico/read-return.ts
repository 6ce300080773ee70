import type {
  Authentication,
  BrowserReturn,
  CompletionOutcome,
  DeclineClass,
  NotGenuine,
} from "@holdfast/acquirer";
import type { IyzicoSecrets } from "./iyzico-settings.ts";
import { INVALID_ANSWER } from "./read-envelope.ts";
import { isGenuine } from "./signatures.ts";

/** The meaning of a browser's return: the cardholder was authenticated, or how the completion ends without a call. */
export type ReadReturn =
  | { kind: "authenticated"; authentication: Authentication }
  | Exclude<CompletionOutcome, { kind: "approved" | "expired" | "not_sent" }>;

/**
 * Checks the whole return before anything is sent. iyzico signs the order and its own name of the payment, of which it keeps
 * amount and currency; the second half of 3-D Secure compares those again.
 * @param session iyzico's name of the payment, from its signed answer to the first half.
 */
export function readReturn(
  returned: BrowserReturn | undefined,
  { orderId, session }: { orderId: string; session: string },
  secrets: IyzicoSecrets,
): ReadReturn {
  const fields = fieldsOf(returned);
  if (fields && !fields["signature"]) return notGenuine("no_signature");
  if (!fields || !isGenuine("return", fields, secrets)) return notGenuine("signature");
  if (fields["conversationId"] !== orderId || fields["paymentId"] !== session)
    return notGenuine("other_order");
  const { status, mdStatus = "" } = fields;
  if (status !== "success" && status !== "failure") return INVALID_ANSWER;
  if (status === "success" && mdStatus === "1") return { kind: "authenticated", authentication: YES };
  return notAuthenticated(mdStatus);
}

/** Every signed field, which may be there only once: with two values it would be unclear which one was signed. */
function fieldsOf(returned: BrowserReturn | undefined) {
  const given = (returned?.fields ?? []).filter(([name]) => SIGNED.has(name));
  if (new Set(given.map(([name]) => name)).size !== given.length) return undefined;
  return Object.fromEntries(given) as Partial<Record<string, string>>;
}

const SIGNED = new Set([
  "conversationData",
  "conversationId",
  "mdStatus",
  "paymentId",
  "status",
  "signature",
]);

function notGenuine(why: NotGenuine["why"]): NotGenuine {
  return { kind: "not_genuine", why };
}

const YES: Authentication = { transStatus: "Y" };

/** iyzico takes a payment only with `mdStatus` 1, so every other one is final, an attempt (4) included. */
function notAuthenticated(mdStatus: string): ReadReturn {
  const known = OTHER_STATUSES.get(mdStatus) ?? NOT_KNOWN;
  return {
    kind: "declined",
    declineClass: known.declineClass,
    resultCode: /^\d$/.test(mdStatus) ? `mdStatus_${mdStatus}` : "mdStatus",
    resultMessage: known.text,
    authentication: { transStatus: known.transStatus },
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
