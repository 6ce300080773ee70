import type { DeclineClass } from "@holdfast/acquirer";

/**
 * The proof that an error code of iyzico gives. `declined`: iyzico or the issuer judged the request, and nothing was
 * done. `credentials`, `limit`, `day_not_ended`: nothing was done. `unproven`: it says nothing certain of the money.
 */
export type FailureClass =
  | { kind: "declined"; declineClass: DeclineClass }
  | { kind: "credentials" }
  | { kind: "limit" }
  | { kind: "day_not_ended" }
  /** `documented`: iyzico's own list names the code, as a failure of a system or a time-out. */
  | { kind: "unproven"; documented: boolean };

export function classifyFailure(errorCode: string): FailureClass {
  const declineClass = DECLINES.get(errorCode);
  if (declineClass !== undefined) return { kind: "declined", declineClass };
  if (ACCOUNT.has(errorCode)) return { kind: "credentials" };
  if (errorCode === TOO_MANY_CALLS) return { kind: "limit" };
  if (errorCode === REQUIRES_DAY_END) return { kind: "day_not_ended" };
  return { kind: "unproven", documented: UNPROVEN.has(errorCode) };
}

/** Signature, API key, frozen account. */
const ACCOUNT = codes("1000 1001 9000");
const TOO_MANY_CALLS = "50000";
const REQUIRES_DAY_END = "10223";

/**
 * A system error, "general errors", already approved, communication, time-outs, an issuer out of order, a request that the
 * bank blocked. A code that stands in no list is as unproven as these.
 */
const UNPROVEN = codes("1 10202 10203 10204 10214 10219 10228 10230 10236 10240 10241 10242");

/** Our classes of the codes; iyzico's documents have none. */
const CODES_BY_CLASS: Record<DeclineClass, string> = {
  /** Do not honour, security code, refer to the issuer, proof of authentication, attempts, declined, PIN. */
  soft: "10005 10084 10207 10210 10211 10212 10220 10226 10227",
  /**
   * Invalid transaction, suspected fraud, expired, not permitted to cardholder or terminal, restricted by law, card not
   * permitted, merchant category, no such issuer, no installments with debit cards, no foreign cards, no installments,
   * restricted card, expiry date, refund declined.
   */
  hard: "10012 10034 10054 10057 10058 10093 10201 10208 10216 10218 10221 10222 10225 10229 10246",
  /** A debit card that needs 3-D Secure. */
  sca_required: "10217",
  /** Lost, stolen, blocked. */
  stolen: "10041 10043 10209",
  /** Not sufficient funds, limit. */
  limit: "10051 10224",
  /**
   * Refused by iyzico before an issuer saw it: fields that are missing or malformed, prices, the basket's sum, BIN, card
   * number, currency, card type, points.
   */
  technical:
    "3 5 8 11 12 13 14 15 16 23 25 5001 5002 5005 5006 5008 5062 5077 5079 5184 10205 10206 10213 10215 10231 10232 10233 10234 10235",
};

const DECLINES: ReadonlyMap<string, DeclineClass> = new Map(
  Object.entries(CODES_BY_CLASS).flatMap(([declineClass, list]) =>
    [...codes(list)].map((code) => [code, declineClass as DeclineClass] as const),
  ),
);

function codes(list: string): ReadonlySet<string> {
  return new Set(list.split(" "));
}
