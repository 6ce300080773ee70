import type { IncomingMessage, ServerResponse } from "node:http";

import { holdUnanswered, readBody, replyTooLarge } from "@holdfast/bank-simulator/core";

import type { MoneyRequest } from "../bank/money-request.ts";
import type { RefusalCode } from "../bank/refusals.ts";
import { afterLateness } from "../faults/after-lateness.ts";
import type { Merchant } from "../merchants.ts";
import { parseCc5Request, type Cc5Request, type Inquiry } from "../wire/cc5-request.ts";
import { outcomeResponse, refusedResponse } from "../wire/cc5-response.ts";
import { historyResponse, statusResponse } from "../wire/inquiry-response.ts";
import type { BankApi } from "./bank-api.ts";
import { carryOut } from "./carry-out.ts";
import { deliverXml, replyXml } from "./deliver-xml.ts";

/** Answers `POST /fim/api`. Everything that the bank understands or refuses is HTTP 200. */
export async function handleFimApi(
  api: BankApi,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request);
  if (body.kind === "too_large") return replyTooLarge(response);
  const parsed = parseCc5Request(body.bytes);
  if (!parsed) return refuse(api, response, 2014, { orderId: "", groupId: "" });
  const merchant = api.merchantOf(parsed.clientId);
  const fault = accessFault(api, merchant, parsed, addressOf(request));
  if (fault !== undefined || !merchant) return refuse(api, response, fault ?? 2201, parsed);
  const { asked } = parsed;
  switch (asked.kind) {
    case "refused":
      return refuse(api, response, asked.code, parsed);
    case "inquiry":
      return answerInquiry(api, merchant, asked, response);
    case "money":
      return answerMoney(api, merchant, asked.request, response);
    default:
      asked satisfies never;
  }
}

async function answerMoney(
  api: BankApi,
  merchant: Merchant,
  request: MoneyRequest,
  response: ServerResponse,
): Promise<void> {
  const done = await carryOut(api, merchant, request, sessionOf(api, merchant, request));
  const names = { orderId: request.orderId, groupId: request.orderId };
  switch (done.kind) {
    case "unanswered":
      return holdUnanswered(response, api.hangMs);
    case "trouble":
      return refuse(api, response, 2100, names);
    case "busy":
      return refuse(api, response, 2304, names);
    case "outcome":
      return deliverXml(api, done.behaviour, response, outcomeResponse(done.outcome, merchant, api.modes));
    default:
      done satisfies never;
  }
}

async function answerInquiry(
  api: BankApi,
  merchant: Merchant,
  { view, orderId }: Inquiry,
  response: ServerResponse,
): Promise<void> {
  const behaviour = api.faults.take("inquire") ?? "plain";
  const order = api.bank.order(merchant.clientId, orderId);
  const show = view === "status" ? statusResponse : historyResponse;
  const answer = show(order, {
    orderId,
    merchant,
    modes: api.modes,
    transIdAfterCapture: api.rulesFor(merchant).transIdAfterCapture,
    nowMs: api.clock.now(),
    reversalMs: api.reversalMs,
    extraMinor: behaviour === "wrong_amount" ? 1n : 0n,
  });
  // The inquiry shows entries that are in memory before they are on the disk.
  await api.ledger.flushed();
  if (behaviour === "late") await afterLateness(api);
  return deliverXml(api, behaviour, response, answer);
}

/** The session of a payment's `md`, which is one merchant's. */
function sessionOf({ sessions }: BankApi, { clientId }: Merchant, request: MoneyRequest) {
  const isPayment = request.operation === "authorize" || request.operation === "sale";
  const session = isPayment && request.card.kind === "md" ? sessions.ofMd(request.card.md) : undefined;
  return session?.form.merchant.clientId === clientId ? session : undefined;
}

/**
 * The fault that keeps the API user out: the password, the address, or the terminal's state (Nestpay protocol, codes).
 */
function accessFault(
  { modes: { access } }: BankApi,
  merchant: Merchant | undefined,
  { name, password, asked }: Cc5Request,
  address: string,
): RefusalCode | undefined {
  if (!merchant || merchant.name !== name || merchant.password !== password) return 2201;
  const { allowedAddresses } = merchant.options;
  if (allowedAddresses.length > 0 && !allowedAddresses.includes(address)) return 2254;
  switch (access) {
    case "open":
      return undefined;
    case "wrong_password":
    case "password_expired":
      return 2201;
    case "address_not_allowed":
      return 2254;
    case "address_not_allowed_for_reversals":
      return asked.kind === "money" && ["void", "refund"].includes(asked.request.operation)
        ? 2254
        : undefined;
    case "locked":
      return 2311;
    case "closed":
      return 2126;
    default:
      return access satisfies never;
  }
}

/** An IPv4 address in an IPv6 socket is compared as IPv4. */
export function addressOf({ socket }: IncomingMessage): string {
  return (socket.remoteAddress ?? "").replace(/^::ffff:/, "");
}

function refuse(
  { modes }: BankApi,
  response: ServerResponse,
  code: RefusalCode,
  names: { orderId: string; groupId: string },
): void {
  const isExpired = code === 2201 && modes.access === "password_expired";
  const text = isExpired ? EXPIRED_TEXTS[modes.language] : undefined;
  replyXml(response, refusedResponse(code, names, "", modes, text));
}

const EXPIRED_TEXTS = { tr: "Kullanıcı şifresinin süresi dolmuş", en: "The user's password has expired" };
