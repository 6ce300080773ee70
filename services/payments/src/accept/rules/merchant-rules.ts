import { parseAmount, type GatewayResultCode, type MerchantRules } from "@holdfast/contracts";
import { networkOf } from "@holdfast/service-runtime";
import type { ClaimRow } from "../../payment/payment-statements.ts";
import type { RuleQuestion } from "./rule-statements.ts";

/** The rules by which a payment is REJECTED without asking the bank, in the order in which they are looked at. */
export type RuleName = "largest_amount" | "decline_rate" | "attempts_per_ip" | "attempts_per_card";

/**
 * The question to the rules about one payment, decided from the payment alone. There is none if no rule of the
 * merchant concerns the payment. `refusedBy` is set if the payment is refused already.
 */
export function questionOf(
  rules: MerchantRules | undefined,
  payment: ClaimRow,
): { refusedBy: RuleName | undefined; question: RuleQuestion } | undefined {
  if (!rules) return undefined;
  const identity = {
    lease_token: payment.lease_token,
    payment_id: payment.payment_id,
    merchant_id: payment.merchant_id,
    idempotency_scope: payment.idempotency_scope,
    idempotency_key: payment.idempotency_key,
  };
  if (isTooLarge(rules, payment)) {
    return { refusedBy: "largest_amount", question: { ...identity, ...NOTHING_TO_COUNT } };
  }
  const { attemptsPerCard: card, attemptsPerIp: ip, declineRate } = rules;
  if (!card && !ip && !declineRate) return undefined;
  const question: RuleQuestion = {
    ...identity,
    decline_percent: declineRate?.percent ?? null,
    decline_minimum: declineRate?.minimumCount ?? null,
    decline_window: declineRate?.windowSeconds ?? null,
    ip: networkOf(payment.request_ip),
    ip_max: ip?.max ?? null,
    ip_window: ip?.windowSeconds ?? null,
    card: cardSubject(payment.pan_fingerprint),
    card_max: card?.max ?? null,
    card_window: card?.windowSeconds ?? null,
  };
  return { refusedBy: undefined, question };
}

/** The subject a card is counted under: its number's fingerprint under the active key. */
export function cardSubject(fingerprint: Buffer): string {
  return fingerprint.toString("hex");
}

const NOTHING_TO_COUNT = {
  decline_percent: null,
  decline_minimum: null,
  decline_window: null,
  ip: null,
  ip_max: null,
  ip_window: null,
  card: null,
  card_max: null,
  card_window: null,
} as const;

function isTooLarge({ largestAmounts }: MerchantRules, payment: ClaimRow): boolean {
  const limit = largestAmounts?.find(({ currency }) => currency === payment.currency);
  const limitMinor = limit && parseAmount(limit.amount, payment.currency_exponent);
  return typeof limitMinor === "bigint" && payment.amount_minor > limitMinor;
}

/**
 * The result that merchants get. The code names the rule, for the operator who sets it. The message is the same for all
 * rules and has no numbers: shops show it to buyers, and a card tester would learn what to change next.
 */
export function refusalOf(rule: RuleName): {
  cause: string;
  result_code: GatewayResultCode;
  result_message: string;
} {
  return { cause: `rule_${rule}`, result_code: `rule_${rule}`, result_message: REFUSED };
}

const REFUSED = "Declined by the gateway's risk rules";
