import type { IncomingMessage, ServerResponse } from "node:http";

import {
  deliver,
  orderAsOf,
  readBody,
  replyTooLarge,
  serveCall,
  shownUntil,
  type Wire,
} from "../../core/index.ts";
import { illegalText, paddedText } from "./behaviours.ts";
import { workOf } from "./carry-out.ts";
import { parseCc5Request, type Cc5Request, type Inquiry, type MoneyRequest } from "./cc5-request.ts";
import { refusedResponse, writeXml, XML_TYPE, type Cc5Response } from "./cc5-response.ts";
import type { Desk } from "./desk.ts";
import { historyResponse, statusResponse } from "./inquiry-response.ts";
import type { Merchant } from "./merchants.ts";
import type { Modes } from "./modes.ts";
import type { RefusalCode } from "./refusals.ts";

/** Answers `POST /fim/api`. Everything that the bank understands or refuses is HTTP 200. */
export async function handleFim(
  desk: Desk,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request);
  if (body.kind === "too_large") return replyTooLarge(response);
  const wire = wireOf(desk.modes);
  const parsed = parseCc5Request(body.bytes);
  const names = parsed ?? { orderId: "", groupId: "" };
  const refuse = (code: RefusalCode) =>
    deliver(response, wire, desk, "plain", refusalOf(code, names, desk.modes));
  if (!parsed) return refuse(2014);
  const merchant = desk.merchantOf(parsed.clientId);
  const fault = accessFault(desk, merchant, parsed, addressOf(request));
  if (fault !== undefined || !merchant) return refuse(fault ?? 2201);
  const { asked } = parsed;
  switch (asked.kind) {
    case "refused":
      return refuse(asked.code);
    case "inquiry":
      return answerInquiry(desk, merchant, asked, response);
    case "money": {
      const session = sessionOf(desk, merchant, asked.request);
      return serveCall(response, wire, desk, workOf(desk, merchant, asked.request, session));
    }
    default:
      asked satisfies never;
  }
}

async function answerInquiry(
  desk: Desk,
  merchant: Merchant,
  { view, orderId }: Inquiry,
  response: ServerResponse,
): Promise<void> {
  const { modes, reversalMs } = desk;
  const behaviour = desk.faults.take("inquire") ?? "plain";
  const show = view === "status" ? statusResponse : historyResponse;
  const { transIdAfterCapture } = desk.rulesOf(merchant);
  const extraMinor = behaviour === "wrong_amount" ? 1n : 0n;
  await serveCall(response, wireOf(modes), desk, {
    behaviour,
    carryOut: () =>
      desk.bank.judge((nowMs) => {
        const order = orderAsOf(desk.bank.book.order(merchant.clientId, orderId), shownUntil(nowMs, modes));
        const { clock } = desk.bank;
        const shown = { orderId, merchant, modes, clock, transIdAfterCapture, nowMs, reversalMs, extraMinor };
        return { outcome: { answer: show(order, shown) } };
      }),
  });
}

/** The session of a payment's `md`, which is one merchant's. */
function sessionOf({ sessions }: Desk, { clientId }: Merchant, { card }: MoneyRequest) {
  const session = card?.kind === "md" ? sessions.find(card.md) : undefined;
  return session?.form.merchant.clientId === clientId ? session : undefined;
}

/** The fault that keeps the API user out: the password, the address, or the terminal's state. */
function accessFault(
  { modes: { access } }: Desk,
  merchant: Merchant | undefined,
  { name, password, asked }: Cc5Request,
  address: string,
): RefusalCode | undefined {
  if (!merchant || merchant.name !== name || merchant.password !== password) return 2201;
  const { allowedAddresses } = merchant.options;
  if (allowedAddresses.length > 0 && !allowedAddresses.includes(address)) return 2254;
  if (access !== "address_not_allowed_for_reversals") return accessFaults[access];
  return asked.kind === "money" && ["void", "refund"].includes(asked.request.operation) ? 2254 : undefined;
}

const accessFaults = {
  open: undefined,
  wrong_password: 2201,
  password_expired: 2201,
  address_not_allowed: 2254,
  locked: 2311,
  closed: 2126,
} as const;

/** An IPv4 address in an IPv6 socket is compared as IPv4. */
export function addressOf({ socket }: IncomingMessage): string {
  return (socket.remoteAddress ?? "").replace(/^::ffff:/, "");
}

function refusalOf(code: RefusalCode, names: { orderId: string; groupId: string }, modes: Modes) {
  const isExpired = code === 2201 && modes.access === "password_expired";
  const text = isExpired ? EXPIRED_TEXTS[modes.language] : undefined;
  return refusedResponse(code, names, "", modes, text);
}

const EXPIRED_TEXTS = { tr: "Kullanıcı şifresinin süresi dolmuş", en: "The user's password has expired" };

function wireOf(modes: Modes): Wire<Cc5Response> {
  return {
    write: (answer) => ({ status: 200, contentType: XML_TYPE, body: writeXml(answer) }),
    bend: (answer, behaviour) => {
      switch (behaviour) {
        case "control_characters":
          return withTexts(answer, paddedText);
        case "illegal_characters":
          return withTexts(answer, illegalText);
        case "gateway_error":
          return refusedResponse(2100, { orderId: "", groupId: "" }, "", modes);
        default:
          return answer;
      }
    },
    garbage: { status: 200, contentType: XML_TYPE, body: "<html><body>Approved" },
    broken: {
      status: 500,
      contentType: "text/html",
      body: "<html><body>Internal Server Error</body></html>",
    },
  };
}

/** Bends the texts that people read and the codes that the issuer composes. */
function withTexts(answer: Cc5Response, bend: (text: string) => string): Cc5Response {
  return {
    ...answer,
    ErrMsg: bend(answer.ErrMsg),
    ...(answer.AuthCode !== undefined && { AuthCode: bend(answer.AuthCode) }),
    Extra: { ...answer.Extra, HOSTMSG: bend(answer.Extra["HOSTMSG"] ?? "") },
  };
}
