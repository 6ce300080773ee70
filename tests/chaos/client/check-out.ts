import { setTimeout as delay } from "node:timers/promises";
import { checkoutOf } from "../../checker/answers.ts";
import type { HistoryEntry, SentCheckout } from "../../checker/index.ts";
import type { MerchantClient } from "./merchant-client.ts";

type Via = { key?: string; gateway?: number; pauseMs?: number };

/**
 * Opens a checkout as in the merchants' guide. A request is sent again if it was not begun, or if it has a
 * key and got no answer. Without a key and an answer it is left alone: no buyer was sent to the checkout,
 * which expires.
 *
 * @returns the checkout's id, if it is known.
 */
export async function openCheckout(
  client: Pick<MerchantClient, "openCheckout">,
  checkout: SentCheckout,
  { key, gateway = 0, pauseMs = RETRY_AFTER_MS }: Via = {},
): Promise<string | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const via = { gateway: gateway + attempt, ...(key !== undefined && { key }) };
    const answer = await client.openCheckout(checkout, via);
    const checkoutId = checkoutOf(answer)?.checkoutId;
    if (checkoutId !== undefined) return checkoutId;
    if (key === undefined && !wasNotBegun(answer)) return undefined;
    await delay(pauseMs);
  }
  return undefined;
}

const ATTEMPTS_MAX = 15;
const RETRY_AFTER_MS = 400;

function wasNotBegun({ status, bytesSent }: HistoryEntry): boolean {
  return status === undefined ? !bytesSent : status === 503;
}

/** Asks a few times for a checkout whose buyer is done. @returns the id of the payment that completed it. */
export async function followCheckout(
  client: Pick<MerchantClient, "getCheckout">,
  checkoutId: string,
  { gateway = 0, pauseMs = RETRY_AFTER_MS }: Via = {},
): Promise<string | undefined> {
  for (let read = 0; read < READS_MAX; read++) {
    const shown = checkoutOf(await client.getCheckout(checkoutId, { gateway: gateway + read }));
    if (shown && shown.status !== "OPEN")
      return shown.status === "COMPLETED" ? shown.payment?.paymentId : undefined;
    await delay(pauseMs);
  }
  return undefined;
}

const READS_MAX = 5;
