import { HoldfastError, type Problem } from "./holdfast-error.ts";
import type { Sending } from "./send-request.ts";

/** The certainty that one sending of a request gives about its effect. */
export type Verdict =
  /** The gateway's 2xx. `pending` where it is a 202. */
  | { kind: "done"; body: object; pending: boolean; replayed: boolean }
  /**
   * This sending started nothing. `ofEverySending` is true if no other sending with this key started anything
   * either; otherwise the answer says nothing about earlier ones.
   */
  | { kind: "nothing"; error: HoldfastError; ofEverySending: boolean; waitMs?: number }
  /** The request may have been carried out, or may still be. */
  | { kind: "open"; error: HoldfastError; paymentId?: string; waitMs?: number };

/**
 * Judges an answer. Only the gateway's own answers count: a 404, a 429 or a 503 of a proxy says nothing about the
 * gateway behind it.
 */
export function judgeSending(sending: Sending): Verdict {
  if (sending.kind === "no_answer") return judgeSilence(sending);
  const { status, body, header } = sending;
  const waitMs = retryAfterMs(header("Retry-After"));
  const wait = waitMs === undefined ? {} : { waitMs };
  if (SUCCESSES.has(status) && isRecord(body)) {
    return {
      kind: "done",
      body,
      pending: status === 202,
      replayed: header("Idempotent-Replayed") === "true",
    };
  }
  const problem = problemIn(sending);
  if (problem === undefined) return { kind: "open", error: unexpected(status), ...wait };
  const { code, paymentId } = problem;
  if (status >= 500 && code !== "service_unavailable") {
    const named = paymentId !== undefined && code === "outcome_unknown" ? { paymentId } : {};
    return { kind: "open", error: errorOf(problem, status, true), ...named, ...wait };
  }
  // The first request under the key is still running.
  if (code === "idempotency_key_in_use")
    return { kind: "open", error: errorOf(problem, status, true), ...wait };
  const passes = PASSING.has(status) || waitMs !== undefined;
  // The gateway keeps such an answer under the key, or read the key before it gave it.
  const ofEverySending = (status === 409 || status === 422) && !passes && code !== "refund_pending";
  return { kind: "nothing", error: errorOf(problem, status, passes), ofEverySending, ...wait };
}

const SUCCESSES: ReadonlySet<number> = new Set([200, 201, 202]);
/** The statuses of a request that arrived too slowly, exceeded a limit or was not started. */
const PASSING: ReadonlySet<number> = new Set([408, 429, 503]);

/**
 * Tells a record of the gateway from the page of a captive portal: a record has one of these ids, a webhook
 * test has its event's id, a rotation its secret, and a list has its items.
 */
function isRecord(body: unknown): body is object {
  if (typeof body !== "object" || body === null) return false;
  const { paymentId, checkoutId, paymentLinkId, bin, eventId, endpointId, secret, items } = body as Record<
    string,
    unknown
  >;
  const ids = [paymentId, checkoutId, paymentLinkId, bin, eventId, endpointId, secret];
  return Array.isArray(items) || ids.some((id) => typeof id === "string");
}

function judgeSilence({ reached, cause }: Extract<Sending, { kind: "no_answer" }>): Verdict {
  return reached
    ? { kind: "open", error: silent("no_answer", "the gateway did not answer", cause) }
    : {
        kind: "nothing",
        error: silent("connection_failed", "no connection to the gateway could be made", cause),
        ofEverySending: false,
      };
}

function silent(code: "no_answer" | "connection_failed", message: string, cause: unknown): HoldfastError {
  return new HoldfastError(message, { code, retryable: true }, { cause });
}

function unexpected(status: number): HoldfastError {
  return new HoldfastError(`an answer with status ${status} is not the gateway's`, {
    code: "unexpected_answer",
    status,
    retryable: true,
  });
}

/** The problem document of an answer, if its status equals the answer's; a proxy's page has none. */
function problemIn({ status, body }: Extract<Sending, { kind: "answered" }>): Problem | undefined {
  if (status < 400 || typeof body !== "object" || body === null) return undefined;
  const { code, type, title } = body as Partial<Problem>;
  const isOurs = typeof code === "string" && type === `urn:holdfast:problem:${code}`;
  if (!isOurs || (body as Partial<Problem>).status !== status || typeof title !== "string") return undefined;
  return body as Problem;
}

function errorOf(problem: Problem, status: number, retryable: boolean): HoldfastError {
  const { code, title, detail, requestId, errors = [] } = problem;
  const fields = errors.map(({ field, message }) => `${field} ${message}`).join("; ");
  const message = [title, detail, fields].filter(Boolean).join(": ");
  return new HoldfastError(message, { code, status, requestId, retryable, problem });
}

/** Reads whole seconds (RFC 9110, 10.2.3), with a bound, since the caller waits. The gateway sends no dates. */
function retryAfterMs(value: string | undefined): number | undefined {
  if (value === undefined || !/^\d{1,6}$/.test(value)) return undefined;
  return Math.min(Number(value) * 1_000, RETRY_AFTER_MS_MAX);
}

const RETRY_AFTER_MS_MAX = 30_000;
