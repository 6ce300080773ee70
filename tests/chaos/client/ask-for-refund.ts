import { setTimeout as delay } from "node:timers/promises";
import { problemOf, recordOf } from "../../checker/answers.ts";
import type { HistoryEntry, SentRefund } from "../../checker/index.ts";
import type { MerchantClient } from "./merchant-client.ts";

type Client = Pick<MerchantClient, "get" | "refund">;
type Via = { key?: string; gateway?: number; pauseMs?: number };

/**
 * Asks for a refund as the merchants' guide says: what was not started is sent again, with a key so is one without an
 * answer; a 504 is looked up, and asked for again once a 404 has said that nothing came of it. Without a key a request
 * without an answer is left as it is: nobody knows its id.
 *
 * @returns the refund's id where it is known to have been accepted.
 */
export async function askForRefund(
  client: Client,
  refund: SentRefund,
  { key, gateway = 0, pauseMs = RETRY_AFTER_MS }: Via = {},
): Promise<string | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const via = { gateway: gateway + attempt, ...(key !== undefined && { key }) };
    const answer = await client.refund(refund, via);
    const accepted = recordOf(answer)?.paymentId;
    if (accepted !== undefined) return accepted;
    if (isRefused(answer) || (wasLost(answer) && key === undefined)) return undefined;
    const named = problemOf(answer).paymentId;
    if (answer.status === 504 && named !== undefined && key === undefined) {
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

/** While it may yet be accepted or undone a GET is a 503. @returns the last status. */
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
