import { setTimeout as delay } from "node:timers/promises";
import { problemOf, recordOf } from "../../checker/answers.ts";
import type { HistoryEntry, SentOperation } from "../../checker/index.ts";
import type { MerchantClient } from "./merchant-client.ts";

/**
 * Captures or cancels a payment as the merchants' guide says. A request that was not started, or meets another
 * operation, is sent again. After a 202, a 504 or no answer the payment is read until it shows the outcome.
 */
export async function operate(
  client: Pick<MerchantClient, "get" | "operate">,
  operation: SentOperation,
  { gateway = 0, key, pauseMs = RETRY_AFTER_MS }: { gateway?: number; key?: string; pauseMs?: number } = {},
): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const via = { gateway: gateway + attempt, ...(key !== undefined && { key }) };
    const answer = await client.operate(operation, via);
    if (isAnswered(answer)) return;
    if (!wasNotStarted(answer)) {
      const read = await client.get(operation.paymentId, { gateway: via.gateway });
      if (read.status === 200 && recordOf(read)?.status !== "SUCCESS") return;
    }
    await delay(pauseMs);
  }
}

const ATTEMPTS_MAX = 12;
const RETRY_AFTER_MS = 400;

function isAnswered({ status = 0 }: HistoryEntry): boolean {
  return status === 200 || (status >= 400 && status < 500 && status !== 409);
}

function wasNotStarted(answer: HistoryEntry): boolean {
  if (answer.status === undefined) return !answer.bytesSent;
  return answer.status === 503 || problemOf(answer).code === "operation_in_progress";
}
