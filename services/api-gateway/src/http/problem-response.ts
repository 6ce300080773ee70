import { PROBLEMS, problemType, type Problem, type ProblemCode } from "@holdfast/contracts";
import type { Exchange } from "./exchange.ts";
import { Refusal } from "./refusal.ts";

/** Answers with a refusal. This file alone turns codes and errors into statuses. */
export function refuse(exchange: Exchange, refusal: Refusal): void {
  const { code, extra } = refusal;
  exchange.code = code;
  exchange.answer(
    PROBLEMS[code].status,
    { "Content-Type": PROBLEM_MEDIA_TYPE, ...retryAfter(code), ...signInAgain(refusal), ...extra?.headers },
    problemBody(refusal, exchange.requestId),
  );
}

/** Answers a request whose handling threw. */
export function answerError(exchange: Exchange, error: unknown): void {
  const code = codeOf(error);
  // The message of the router's error repeats a piece of the path.
  if (code !== "malformed_request") exchange.error = error;
  refuse(exchange, new Refusal(code));
}

function codeOf(error: unknown): ProblemCode {
  // A path whose percent-encoding is broken: the router's own error.
  if (error instanceof URIError) return "malformed_request";
  const { code } = error instanceof Error ? (error as { code?: unknown }) : {};
  return (typeof code === "string" ? PROBLEM_OF_ERROR.get(code) : undefined) ?? "internal_error";
}

/** The problem for the code of an error. Any other error is a bug. */
const PROBLEM_OF_ERROR: ReadonlyMap<string, ProblemCode> = new Map([
  ["database_unavailable", "service_unavailable"],
  ["operator_keys_unavailable", "service_unavailable"],
  ["outcome_unknown", "outcome_unknown"],
]);

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

/** Problems after which nothing was started, or another request is about to end. */
const RIGHT_AGAIN: ReadonlySet<ProblemCode> = new Set([
  "service_unavailable",
  "idempotency_key_in_use",
  "operation_in_progress",
]);

/**
 * The wait in seconds. An unknown outcome takes until the first inquiry of recovery, and so does an undecided order.
 */
function retryAfter(code: ProblemCode): Record<string, string> | undefined {
  if (RIGHT_AGAIN.has(code)) return { "Retry-After": "1" };
  if (code === "outcome_unknown" || code === "order_undecided") return { "Retry-After": "10" };
  return undefined;
}

/** RFC 9470: how recent the sign-in has to be, in seconds. */
function signInAgain({ code, extra }: Refusal): Record<string, string> | undefined {
  if (code !== "insufficient_user_authentication") return undefined;
  const { maxAge }: Record<string, unknown> = { ...extra?.members };
  const asked = typeof maxAge === "number" ? `, max_age="${maxAge}"` : "";
  return { "WWW-Authenticate": `Bearer error="${code}"${asked}` };
}
