/**
 * The merchant rules: a payment that breaks one is REJECTED, written once with its history and its event, and
 * the bank is never asked. They are checked before the claim and apply only to new payments, with 3-D Secure
 * or without: they never refuse a refund, a cancellation or the end of a payment that was begun.
 */
import {
  PAYMENT_STATUS_CHANGED,
  type ApiPaymentResponse,
  type CommandReply,
  type PreAuthorizePayment,
} from "@holdfast/contracts";
import type { Incoming } from "@holdfast/messaging";
import { certainlyNotCommitted } from "@holdfast/postgres";
import type { Kysely } from "kysely";
import type { Pool } from "pg";
import type { BusinessEvents } from "../../payment/business-events.ts";
import type { PaymentsDatabase } from "../../database.ts";
import { NOT_YET_ANSWERED } from "../../payment/authorization-outcome.ts";
import { paymentRecord, webhookBody, type ShownPayment } from "../../payment/payment-record.ts";
import type { ClaimRow } from "../../payment/payment-statements.ts";
import type { Join, PaymentWrites } from "../../payment/payment-writes.ts";
import { findUndecided, orderUndecided } from "../../payment/undecided-order.ts";
import { questionOf, refusalOf, type RuleName } from "./merchant-rules.ts";
import { adoptCardCounters, createAskRules, type AskRules } from "./rule-queries.ts";

type RulesDeps = {
  db: Kysely<PaymentsDatabase>;
  askRules: AskRules;
  writes: Pick<PaymentWrites, "reject">;
  events: BusinessEvents;
  /** Epoch milliseconds. */
  now: () => number;
};

type Reply = CommandReply<ApiPaymentResponse>;

export type MerchantRules = ReturnType<typeof createMerchantRules>;

/** @param pool the connections for the rules' statements, shared with claims. */
export function createMerchantRules({ pool, ...deps }: Omit<RulesDeps, "askRules"> & { pool: Pool }) {
  const askRules = createAskRules(pool);
  return {
    enforce: (message: Pick<Incoming<PreAuthorizePayment>, "context">, row: ClaimRow, join?: Join) =>
      enforceRules({ ...deps, askRules }, message, row, join),
  };
}

/** @returns undefined if the payment may be claimed, `known` if it or its key exists, or else the answer. */
async function enforceRules(
  deps: RulesDeps,
  { context }: Pick<Incoming<PreAuthorizePayment>, "context">,
  row: ClaimRow,
  join: Join | undefined,
): Promise<Reply | "known" | undefined> {
  const asking = questionOf(context.merchant.rules, row);
  if (!asking) return undefined;
  let answer;
  try {
    // A payment that is refused anyway does not go to the bank, so no rule counts it.
    const undecided = await findUndecided(deps.db, row);
    if (undecided !== undefined) return orderUndecided(undecided);
    if (asking.question.card_max !== null && row.older_pan_fingerprints.length > 0) {
      await adoptCardCounters(deps.db, row);
    }
    answer = await deps.askRules(asking.question);
  } catch (error) {
    // An attempt may have been counted. There is no payment, so nothing was started.
    deps.events.writeFailed("ask_rules", row, error);
    return { outcome: "not_started" };
  }
  if (answer.verdict === "known") return "known";
  const rule = asking.refusedBy ?? (answer.verdict === "pass" ? undefined : answer.verdict);
  return rule && (await reject(deps, row, { rule, at: answer.askedAt }, join));
}

async function reject(
  deps: RulesDeps,
  row: ClaimRow,
  { rule, at }: { rule: RuleName; at: Date },
  join: Join | undefined,
): Promise<Reply | "known"> {
  const { cause, ...result } = refusalOf(rule);
  const rejected: ShownPayment = {
    ...row,
    ...NOT_YET_ANSWERED,
    ...result,
    state: "REJECTED",
    version: 1,
    state_since: at,
    created_at: at,
  };
  const body = webhookBody(rejected);
  try {
    const rejection = {
      ...row,
      ...result,
      cause,
      created_at: at,
      webhook_body: body,
      event_type: PAYMENT_STATUS_CHANGED,
    };
    const isNew = await deps.writes.reject(rejection, join);
    if (!isNew) return "known";
  } catch (error) {
    deps.events.writeFailed("reject", row, error);
    return { outcome: certainlyNotCommitted(error) ? "not_started" : "in_doubt" };
  }
  deps.events.paymentRecorded(rejected, cause);
  return { outcome: "done", result: paymentRecord(rejected) };
}
