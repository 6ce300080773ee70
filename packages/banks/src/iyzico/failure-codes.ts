import { codeTable } from "@holdfast/acquirer/kit";

export const IYZICO_CODE_LIST = {
  name: "iyzico's error codes",
  source: "https://docs.iyzico.com/en/add-ons/error-codes",
  comparedOn: "2026-11-29",
} as const;

/**
 * Our classes of iyzico's error codes; iyzico documents none. `failed` are the codes that iyzico's list names
 * as a failure of a system or a time-out. An unlisted code proves as little.
 */
export const FAILURE_CODES = codeTable({
  /**
   * Do not honour, refer to the issuer, proof of authentication, declined by iyzico or by the bank behind it.
   * A wrong security code or PIN is not soft: a try at another account would be one more guess.
   */
  soft: "10005 10207 10210 10211 10220 10243 10244",
  /**
   * Invalid transaction, suspected fraud, expired, security code and its attempts, PIN and its attempts, not permitted to
   * cardholder or terminal, restricted by law, card not permitted, merchant category, no such issuer, no installments with
   * debit cards, no foreign cards, no installments, restricted card, expiry date, blocked by the bank, refund declined;
   * refused by iyzico's fraud engine or its blacklist.
   */
  hard: "6000 6001 10012 10034 10054 10057 10058 10084 10093 10201 10208 10212 10216 10218 10221 10222 10225 10226 10227 10229 10230 10246",
  /** A debit card that needs 3-D Secure. */
  sca_required: "10217",
  /** Lost, stolen, blocked. */
  stolen: "10041 10043 10209",
  /** Insufficient funds, and limits of withdrawals and of one payment. */
  limit: "10051 10224 10248",
  /**
   * Refused by iyzico before an issuer saw it: fields that are missing or malformed, prices, the basket's sum, BIN, card
   * number, currency, card type, points.
   */
  technical:
    "3 5 8 11 12 13 14 15 16 23 25 5001 5002 5005 5006 5008 5062 5077 5079 5184 10205 10206 10213 10215 10231-10235",
  /** Signature, API key, frozen account. */
  credentials: "1000 1001 9000",
  too_many_calls: "50000",
  day_not_ended: "10223",
  /**
   * A system error, "general errors", already approved, communication, time-outs, an issuer out of order.
   */
  failed: "1 10202 10203 10204 10214 10219 10228 10236 10240 10241 10242",
});
