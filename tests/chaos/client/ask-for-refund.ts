import { setTimeout as delay } from "node:timers/promises";
import { problemOf, recordOf } from "../../checker/answers.ts";
import type { HistoryEntry, SentRefund } from "../../checker/index.ts";
import { holdfastOver } from "./holdfast-over.ts";
import type { MerchantClient } from "./merchant-client.ts";

type Client = Pick<MerchantClient, "get" | "refund">;
type Via = { key?: string; gateway?: number; pauseMs?: number };

/**
 * Asks for a refund: with a key by the client that merchants have, without one as the merchants' guide has merchants
 * write their own.
 *
 * @returns the refund's id where it is known to have been accepted.
 */
export async function askForRefund(
  client: Client,
  refund: SentRefund,
  { key, ...via }: Via = {},
): Promise<string | undefined> {
  return key === undefined
    ? await askWithoutKey(client, refund, via)
    : await askByClient(client, refund, { key, ...via });
}

/** Repeats a request with an unknown outcome under its key, and one that was not started. */
async function askByClient(
  client: Client,
  refund: SentRefund,
  { key, gateway = 0 }: Via & { key: string },
): Promise<string | undefined> {
  const holdfast = holdfastOver(({ method, paymentId, body, key, sending }) => {
    const via = { gateway: gateway + sending };
    return method === "GET" ? client.get(paymentId, via) : client.refund(refund, { ...via, key, body });
  });
  const { paymentId, amount, currency } = refund;
  for (let repeats = 0; repeats < REPEATS_MAX; repeats++) {
    const ended = await holdfast.refunds.request(paymentId, { amount, currency }, { idempotencyKey: key });
    if (ended.outcome === "done") return ended.refund.paymentId;
    if (ended.outcome === "not_started" && !ended.error.retryable) return undefined;
  }
  return undefined;
}

const REPEATS_MAX = 3;

/**
 * Repeats a request that was not started. Looks up a 504, and repeats it once a 404 has said that it had no effect. A
 * request without an answer is left as it is: its id is unknown.
 */
async function askWithoutKey(
  client: Client,
  refund: SentRefund,
  { gateway = 0, pauseMs = RETRY_AFTER_MS }: Via,
): Promise<string | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const via = { gateway: gateway + attempt };
    const answer = await client.refund(refund, via);
    const accepted = recordOf(answer)?.paymentId;
    if (accepted !== undefined) return accepted;
    if (isRefused(answer) || wasLost(answer)) return undefined;
    const named = problemOf(answer).paymentId;
    if (answer.status === 504 && named !== undefined) {
      const status = await lookUp(client, named, { gateway: via.gateway, pauseMs });
      if (status !== 404) return status === 200 ? named : undefined;
    }
    await delay(pauseMs);
  }
  return undefined;
}

const ATTEMPTS_MAX = 15;
const RETRY_AFTER_MS = 400;

/** Conflicts that end by themselves are no refusals. */
function isRefused(answer: HistoryEntry): boolean {
  const { status = 500 } = answer;
  const { code = "" } = problemOf(answer);
  return status >= 400 && status < 500 && !PASSING.has(code);
}

const PASSING: ReadonlySet<string> = new Set(["idempotency_key_in_use", "operation_in_progress"]);

function wasLost({ status, bytesSent }: HistoryEntry): boolean {
  return status === undefined && bytesSent;
}

/**
 * Looks the refund up; a GET is a 503 while it may still be accepted or rolled back. @returns the last
 * status.
 */
async function lookUp(
  client: Client,
  refundId: string,
  { gateway, pauseMs }: { gateway: number; pauseMs: number },
): Promise<number | undefined> {
  let status: number | undefined;
  for (let read = 0; read < READS_MAX; read++) {
    ({ status } = await client.get(refundId, { gateway: gateway + read }));
    if (status === 200 || status === 404) break;
    await delay(pauseMs);
  }
  return status;
}

const READS_MAX = 8;
