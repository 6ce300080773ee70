import { PROBLEMS, problemType, type Problem, type ProblemCode } from "@holdfast/contracts";
import { DatabaseUnavailableError } from "@holdfast/service-runtime";
import { OutcomeUnknownError } from "../database.ts";
import { OperatorKeysUnavailableError } from "../operator-api/operator-keys.ts";
import type { Exchange } from "./exchange.ts";
import { Refusal } from "./refusal.ts";

/** Answers with a refusal. This file alone turns codes and errors into statuses. */
export function refuse(exchange: Exchange, refusal: Refusal): void {
  const { code, extra } = refusal;
  exchange.code = code;
  exchange.answer(
    PROBLEMS[code].status,
    { "Content-Type": PROBLEM_MEDIA_TYPE, ...retryAfter(code), ...extra?.headers },
    problemBody(refusal, exchange.requestId),
  );
}

/** Answers for anything that was thrown. */
export function answerError(exchange: Exchange, error: unknown): void {
  const code = codeOf(error);
  // The router's message repeats a piece of the path.
  if (code !== "malformed_request") exchange.error = error;
  refuse(exchange, new Refusal(code));
}

function codeOf(error: unknown): ProblemCode {
  if (error instanceof DatabaseUnavailableError || error instanceof OperatorKeysUnavailableError)
    return "service_unavailable";
  if (error instanceof OutcomeUnknownError) return "outcome_unknown";
  // A path that is not well percent-encoded: the router's own error.
  if (error instanceof URIError) return "malformed_request";
  return "internal_error";
}

/** RFC 9457 problem details. */
export function problemBody({ code, extra }: Refusal, requestId: string): string {
  const { status, title } = PROBLEMS[code];
  return JSON.stringify({
    type: problemType(code),
    title,
    status,
    detail: extra?.detail,
    instance: `urn:uuid:${requestId}`,
    code,
    requestId,
    ...extra?.members,
  } satisfies Problem & Record<string, unknown>);
}

export const PROBLEM_MEDIA_TYPE = "application/problem+json";

/** Where nothing was started, or where somebody else is just about to end. */
const RIGHT_AGAIN: ReadonlySet<ProblemCode> = new Set([
  "service_unavailable",
  "idempotency_key_in_use",
  "operation_in_progress",
]);

/** Seconds; an outcome needs the time of the recovery's first inquiry. */
function retryAfter(code: ProblemCode): Record<string, string> | undefined {
  if (RIGHT_AGAIN.has(code)) return { "Retry-After": "1" };
  if (code === "outcome_unknown") return { "Retry-After": "10" };
  return undefined;
}
