/**
 * Receives the notifications that banks send about payments. Everybody may send here, and only payments can
 * verify the sender. An answer says whether it was the account's bank, and nothing about accounts and
 * payments. Limits are separate from the pages', so a flood takes nothing from a buyer.
 */
import type { IncomingMessage } from "node:http";
import { BANK_NOTIFICATION_BOUNDS, takeBankNotification } from "@holdfast/contracts";
import { createFairRoom } from "@holdfast/http-server";
import { createSharedPermits, networkOf, permitsOfOne } from "@holdfast/service-runtime";
import { Router } from "express";
import { z } from "zod";
import type { SendPageCommand } from "../../bus/send-command.ts";
import type { Exchange } from "../../http/exchange.ts";
import { refuse } from "../../http/problem-response.ts";
import { readBody } from "../../http/read-body.ts";
import { Refusal } from "../../http/refusal.ts";
import { requestHandler, type RoutedRequest } from "../../http/routed-request.ts";
import { rateLimited } from "../../limits/rate-limited.ts";
import { createTokenBuckets } from "../../limits/token-buckets.ts";

export type BankNotificationsDeps = {
  send: SendPageCommand;
  /** The limit for one address (for IPv6 its /64), in this process. */
  perMinute: number;
};

export function bankNotifications({ send, perMinute }: BankNotificationsDeps): Router {
  const rate = createTokenBuckets({ size: perMinute, intervalMs: 60_000, keysMax: ADDRESSES_MAX });
  const limit = createFairRoom({
    placesMax: PERMITS,
    bytesMax: PERMITS * BANK_NOTIFICATION_BOUNDS.bodyBytes,
  });
  const permits = createSharedPermits({ max: PERMITS, ofOneMax: permitsOfOne(PERMITS, ADDRESS_SHARE) });
  const take = requestHandler(async (request, exchange) => {
    exchange.route = "/bank-notifications/{accountId}";
    const client = networkOf(exchange.clientAddress);
    const { waitMs } = rate.take(client);
    if (waitMs > 0) return refuse(exchange, rateLimited(waitMs));
    const body = await readBody(exchange, { limit, client }, isNotCompressed);
    if (body instanceof Refusal) return refuse(exchange, body);
    if (body.length > BANK_NOTIFICATION_BOUNDS.bodyBytes)
      return refuse(exchange, new Refusal("payload_too_large"));
    const release = permits.take(client);
    if (!release) return refuse(exchange, new Refusal("service_unavailable"));
    await handOver(send, request, exchange, body).finally(release);
  });
  const router = Router({ caseSensitive: true, strict: true });
  router.post(BANK_NOTIFICATIONS_PATH, take);
  router.all(
    BANK_NOTIFICATIONS_PATH,
    requestHandler((_request, exchange) => {
      exchange.route = "/bank-notifications/{accountId}";
      refuse(exchange, new Refusal("method_not_allowed", { headers: { Allow: "POST" } }));
    }),
  );
  return router;
}

const BANK_NOTIFICATIONS_PATH = "/bank-notifications/:accountId";
const ADDRESSES_MAX = 10_000;
/** Notifications under way; a bank sends its own from a few addresses. */
const PERMITS = 64;
const ADDRESS_SHARE = 1 / 2;

async function handOver(
  send: SendPageCommand,
  request: RoutedRequest,
  exchange: Exchange,
  body: Buffer,
): Promise<void> {
  const accountId = z.uuid().safeParse(request.params["accountId"]);
  if (!accountId.success) return refuse(exchange, new Refusal("unauthorized"));
  const notification = {
    accountId: accountId.data,
    headers: signingHeaders(request),
    body: body.toString("base64"),
  };
  const reply = await send(takeBankNotification, exchange, notification);
  // The bank sends it again. Without that, the inquiry is made by its schedule.
  if (!("result" in reply)) return refuse(exchange, new Refusal("service_unavailable"));
  if (!reply.result.isGenuine) return refuse(exchange, new Refusal("unauthorized"));
  exchange.answer(200, {}, "{}");
}

/** Banks name them `X-IYZ-SIGNATURE-V3` and the like. One that came twice could mean either of two things, and is left out. */
function signingHeaders({ headersDistinct }: IncomingMessage): Record<string, string> {
  const signing = Object.entries(headersDistinct).flatMap(([name, values]) =>
    name.includes("signature") &&
    name.length <= NAME_LENGTH_MAX &&
    values?.length === 1 &&
    values[0]!.length <= BANK_NOTIFICATION_BOUNDS.headerValue
      ? [[name, values[0]!] as const]
      : [],
  );
  return Object.fromEntries(signing.slice(0, BANK_NOTIFICATION_BOUNDS.headers));
}

const NAME_LENGTH_MAX = 64;

/** Accepts any media type: the account's protocol decides what it may be. */
function isNotCompressed({ headersDistinct }: IncomingMessage): boolean {
  return headersDistinct["content-encoding"] === undefined;
}
