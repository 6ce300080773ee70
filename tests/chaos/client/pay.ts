import { setTimeout as delay } from "node:timers/promises";
import { problemOf, recordOf } from "../../checker/answers.ts";
import type { HistoryEntry } from "../../checker/index.ts";
import { playCardholder } from "./cardholder.ts";
import type { MerchantClient, Order } from "./merchant-client.ts";

/**
 * Pays one order as the merchants' guide says: a 503 and a request that never left are repeated, with a key so is one
 * without an answer, a 409 waits for the first request, a 504 is looked up, and paid again once a 404 has said that
 * nothing came of it. Without a key a request without an answer is left as it is: nobody knows its id.
 *
 * @returns the payment's id where it is known to have succeeded.
 */
export async function pay(
  client: Client,
  order: Order,
  { key, gateway = 0, pauseMs = RETRY_AFTER_MS }: { key?: string; gateway?: number; pauseMs?: number },
): Promise<string | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    // A merchant behind a load balancer comes out at another gateway the next time.
    const via = { gateway: gateway + attempt, ...(key !== undefined && { key }) };
    const answer = await client.post(order, via);
    const challenge = order.cardholder && redirectUrlOf(answer);
    if (order.cardholder && challenge !== undefined) await playCardholder(challenge, order.cardholder);
    const end = await endOf(client, answer, { ...via, pauseMs });
    if (end) return end.succeeded;
    await delay(pauseMs);
  }
  return undefined;
}

const ATTEMPTS_MAX = 25;
const RETRY_AFTER_MS = 400;

type Client = Pick<MerchantClient, "get" | "post">;

/** Where the buyer is to be sent, of an answer that has a challenge. */
function redirectUrlOf({ status, body }: HistoryEntry): string | undefined {
  if (status !== 201 || body === undefined) return undefined;
  return (JSON.parse(body) as { redirectUrl?: string }).redirectUrl;
}

/** Undefined where the request is to be sent again. */
async function endOf(
  client: Client,
  answer: HistoryEntry,
  { key, gateway, pauseMs }: { key?: string; gateway: number; pauseMs: number },
): Promise<{ succeeded?: string } | undefined> {
  const { status, bytesSent } = answer;
  if (status === undefined) return bytesSent && key === undefined ? {} : undefined;
  if (status === 503 || status === 409) return undefined;
  const named = recordOf(answer)?.paymentId ?? problemOf(answer).paymentId;
  if (named === undefined) return {};
  const read = await follow(client, named, { gateway, pauseMs });
  if (status === 504 && (key !== undefined || read === "missing")) return undefined;
  return read === "SUCCESS" ? { succeeded: named } : {};
}

/** Reads the payment until it is settled, missing, or the merchant has other things to do. */
async function follow(
  client: Client,
  paymentId: string,
  { gateway, pauseMs }: { gateway: number; pauseMs: number },
): Promise<string> {
  for (let read = 0; read < READS_MAX; read++) {
    const answer = await client.get(paymentId, { gateway: gateway + read });
    if (answer.status === 404) return "missing";
    const status = recordOf(answer)?.status;
    if (status !== undefined && status !== "ENROLLED") return status;
    await delay(pauseMs);
  }
  return "unsettled";
}

const READS_MAX = 5;
