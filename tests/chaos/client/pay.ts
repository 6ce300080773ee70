import { setTimeout as delay } from "node:timers/promises";
import type { Holdfast, ThreeDsOutcome } from "@holdfast/client";
import { problemOf, recordOf } from "../../checker/answers.ts";
import type { HistoryEntry } from "../../checker/index.ts";
import { playCardholder } from "./cardholder.ts";
import { holdfastOver } from "./holdfast-over.ts";
import { fieldsOf, SHOP, type MerchantClient, type Order } from "./merchant-client.ts";

/**
 * Pays one order: with a key by the client that merchants have, without one as the merchants' guide has merchants write
 * their own.
 *
 * @returns the payment's id where it is known to have succeeded.
 */
export async function pay(
  client: Client,
  order: Order,
  { key, ...via }: { key?: string; gateway?: number; pauseMs?: number },
): Promise<string | undefined> {
  return key === undefined
    ? await payWithoutKey(client, order, via)
    : await payByClient(client, order, { key, ...via });
}

/** Repeats a request with an unknown outcome under its key, and one that was not started. */
async function payByClient(
  client: Client,
  order: Order,
  { key, gateway = 0 }: { key: string; gateway?: number },
): Promise<string | undefined> {
  const holdfast = holdfastOver(({ method, paymentId, body, key, sending }) => {
    const via = { gateway: gateway + sending };
    return method === "GET" ? client.get(paymentId, via) : client.post(order, { ...via, key, body });
  });
  for (let repeats = 0; repeats < REPEATS_MAX; repeats++) {
    const ended = await create(holdfast, order, key);
    if (ended.outcome === "done") return ended.payment.paymentId;
    if (ended.outcome === "declined") return undefined;
    if (ended.outcome === "not_started" && !ended.error.retryable) return undefined;
    if (ended.outcome === "challenge" && order.cardholder !== undefined) {
      await playCardholder(ended.challenge.redirectUrl, order.cardholder);
    }
    const paymentId = "payment" in ended ? ended.payment?.paymentId : undefined;
    if (paymentId !== undefined) return await follow(client, paymentId, { gateway, pauseMs: RETRY_AFTER_MS });
  }
  return undefined;
}

const REPEATS_MAX = 3;

async function create(holdfast: Holdfast, order: Order, idempotencyKey: string): Promise<ThreeDsOutcome> {
  const fields = fieldsOf(order);
  if (order.cardholder !== undefined) {
    return await holdfast.payments.createWith3ds({ ...fields, ...SHOP }, { idempotencyKey });
  }
  return order.sale === true
    ? await holdfast.payments.create(fields, { idempotencyKey })
    : await holdfast.payments.authorize(fields, { idempotencyKey });
}

/**
 * Repeats a request that was not started or never left. Looks up a 504, and pays again once a 404 has said that it had
 * no effect. A request without an answer is left as it is: its id is unknown.
 */
async function payWithoutKey(
  client: Client,
  order: Order,
  { gateway = 0, pauseMs = RETRY_AFTER_MS }: { gateway?: number; pauseMs?: number },
): Promise<string | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    // A merchant behind a load balancer comes out at another gateway the next time.
    const via = { gateway: gateway + attempt };
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

/** The address of the challenge, if the answer has one. */
function redirectUrlOf({ status, body }: HistoryEntry): string | undefined {
  if (status !== 201 || body === undefined) return undefined;
  return (JSON.parse(body) as { redirectUrl?: string }).redirectUrl;
}

/** Undefined if the request has to be sent again. */
async function endOf(
  client: Client,
  answer: HistoryEntry,
  via: { gateway: number; pauseMs: number },
): Promise<{ succeeded?: string } | undefined> {
  const { status, bytesSent } = answer;
  if (status === undefined) return bytesSent ? {} : undefined;
  if (status === 503 || status === 409) return undefined;
  const named = recordOf(answer)?.paymentId ?? problemOf(answer).paymentId;
  if (named === undefined) return {};
  const read = await readUntilSettled(client, named, via);
  if (status === 504 && read === "missing") return undefined;
  return read === "SUCCESS" ? { succeeded: named } : {};
}

/** @returns the payment's id once it has succeeded. */
async function follow(
  client: Client,
  paymentId: string,
  via: { gateway: number; pauseMs: number },
): Promise<string | undefined> {
  return (await readUntilSettled(client, paymentId, via)) === "SUCCESS" ? paymentId : undefined;
}

/** Reads the payment until it is settled, missing, or the merchant has other things to do. */
async function readUntilSettled(
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
