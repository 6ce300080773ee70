import { HoldfastError } from "./holdfast-error.ts";
import { judgeSending, type Verdict } from "./judge-sending.ts";
import type { Settings } from "./options.ts";
import { sendRequest, type ApiRequest } from "./send-request.ts";

/** The end of a request that changes something, and the number of sendings. */
export type Ending = { attempts: number } & (
  | { kind: "done"; body: object; pending: boolean; replayed: boolean }
  | { kind: "not_started"; error: HoldfastError }
  | { kind: "unknown"; error: HoldfastError; paymentId?: string }
);

export type ChangeRequest = ApiRequest & {
  method: "POST";
  idempotencyKey: string;
  /** True if a 504 names a record of this request's own, which can be looked up. */
  createsRecord: boolean;
  /** True if an earlier call may have used the key: then its sendings are as open as this call's own. */
  mayBeSentBefore: boolean;
};

/**
 * Sends a request under its one key until its end is certain or the retries are used up. The result is
 * `not_started` only if no sending was carried out or can still be. A single sending without a certain end
 * makes the end unknown, even if a later one is refused, unless that refusal is about the key itself.
 */
export async function carryOut(settings: Settings, request: ChangeRequest): Promise<Ending> {
  let open: Open | undefined;
  for (let attempts = 1; ; attempts++) {
    const isOpen = open !== undefined || request.mayBeSentBefore;
    let verdict = judgeSending(await sendRequest(settings, request));
    if (!isOpen && isNamed(verdict, request)) verdict = await lookUp(settings, verdict);
    if (verdict.kind === "done") return { ...verdict, attempts };
    const isLast = attempts > settings.retries || !verdict.error.retryable;
    if (verdict.kind === "nothing" && isLast && (!isOpen || verdict.ofEverySending)) {
      return { kind: "not_started", error: verdict.error, attempts };
    }
    if (verdict.kind === "open") open = isOpen ? { error: verdict.error } : openOf(verdict);
    if (isLast) return { kind: "unknown", ...(open ?? { error: verdict.error }), attempts };
    await pause(verdict.waitMs ?? backoffMs(attempts));
  }
}

type Open = { error: HoldfastError; paymentId?: string };

/** An id is certain only while one single sending is open: under the key the gateway keeps to the first that it got. */
function openOf({ error, paymentId }: Extract<Verdict, { kind: "open" }>): Open {
  return { error, ...(paymentId !== undefined && { paymentId }) };
}

function isNamed(verdict: Verdict, { createsRecord }: ChangeRequest): verdict is NamedVerdict {
  return createsRecord && verdict.kind === "open" && verdict.paymentId !== undefined;
}

type NamedVerdict = Extract<Verdict, { kind: "open" }> & { paymentId: string };

/** After a 504 and its Retry-After a 404 is conclusive: that sending was not carried out. */
async function lookUp(settings: Settings, verdict: NamedVerdict): Promise<Verdict> {
  for (let reads = 0; reads <= settings.retries; reads++) {
    await pause(verdict.waitMs ?? backoffMs(reads));
    const sending = await sendRequest(settings, {
      method: "GET",
      path: `/api/payment/${verdict.paymentId}`,
    });
    const found = judgeSending(sending);
    // The record's status says whether it is still pending.
    if (found.kind === "done") return { ...found, pending: false };
    const isAbsent = found.error.code === "payment_not_found" && found.error.status === 404;
    if (isAbsent) return { kind: "nothing", error: absent(found.error), ofEverySending: false, waitMs: 0 };
  }
  // The requested time has been waited.
  return { ...verdict, waitMs: 0 };
}

function absent({ status, requestId }: HoldfastError): HoldfastError {
  const facts = { code: "conclusively_absent", status, requestId, retryable: true };
  return new HoldfastError("the gateway ran out of time and has carried out nothing", facts);
}

/** Doubles each time, with half of the wait at random, so that clients do not retry together. */
export function backoffMs(attempts: number): number {
  const longest = Math.min(BACKOFF_MS * 2 ** (attempts - 1), BACKOFF_MS_MAX);
  return longest / 2 + (Math.random() * longest) / 2;
}

const BACKOFF_MS = 400;
const BACKOFF_MS_MAX = 5_000;

export async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
