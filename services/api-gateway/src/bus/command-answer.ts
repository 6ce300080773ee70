import { toMerchantAnswer, type ApiPaymentResponse, type CommandReply } from "@holdfast/contracts";
import type { Answer } from "../endpoint/route.ts";
import type { Exchange } from "../http/exchange.ts";
import { Refusal } from "../http/refusal.ts";

/** 201 with the payment that was created, or 202 while its outcome is unknown. */
export function createdAnswer(
  exchange: Exchange,
  reply: CommandReply<ApiPaymentResponse>,
  paymentId: string,
): Answer<201 | 202> | Refusal {
  if (!("result" in reply)) return refusalOf(reply, paymentId);
  // A replay answers with the first request's payment, not with the id generated for this one.
  exchange.paymentId = reply.result.paymentId;
  const Location = `/api/payment/${reply.result.paymentId}`;
  const body = toMerchantAnswer(reply.result);
  return reply.outcome === "done"
    ? { status: 201, headers: { Location, ...replayedHeader(reply) }, body }
    : { status: 202, headers: { Location, "Retry-After": QUERY_AFTER_S }, body };
}

/** 200 with the payment, or 202 with the payment as it was before while the outcome is unknown. */
export function changedAnswer(
  reply: CommandReply<ApiPaymentResponse>,
  paymentId: string,
): Answer<200 | 202> | Refusal {
  if (!("result" in reply)) return refusalOf(reply, paymentId);
  const body = toMerchantAnswer(reply.result);
  return reply.outcome === "done"
    ? { status: 200, headers: replayedHeader(reply), body }
    : { status: 202, headers: { "Retry-After": QUERY_AFTER_S }, body };
}

/** The first inquiry at the acquirer comes this soon after the claim. */
const QUERY_AFTER_S = "2";

/** Marks a stored answer of an earlier request under the same Idempotency-Key. */
export function replayedHeader({ replayed }: { replayed?: true | undefined }): Record<string, string> {
  return replayed ? { "Idempotent-Replayed": "true" } : {};
}

type WithoutResult = Extract<CommandReply<never>, { outcome: "problem" | "not_started" | "in_doubt" }>;

/**
 * Answers a merchant or an operator whose command has no result. Only this file turns such replies into
 * codes.
 *
 * @param paymentId for looking the outcome up; undefined if no payment was requested.
 */
export function refusalOf(reply: WithoutResult, paymentId?: string): Refusal {
  switch (reply.outcome) {
    case "problem":
      return new Refusal(reply.code, {
        detail: reply.detail,
        members: reply.extra,
        headers: replayedHeader(reply),
      });
    case "not_started":
      return new Refusal("service_unavailable");
    case "in_doubt":
      return new Refusal("outcome_unknown", paymentId === undefined ? {} : { members: { paymentId } });
    default:
      return reply satisfies never;
  }
}

/** Answers an operator with the command's result. */
export function operatorAnswer<Status extends number, Body extends object>(
  status: Status,
  reply: CommandReply<Body>,
): (Answer<Status> & { body: Body }) | Refusal {
  const body = operatorResult(reply);
  return body instanceof Refusal ? body : { status, body };
}

/** The result of an operator's command, or the reason for its absence. */
export function operatorResult<Result extends object>(reply: CommandReply<Result>): Result | Refusal {
  return "result" in reply ? reply.result : refusalOf(reply);
}
