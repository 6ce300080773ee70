import { randomUUID } from "node:crypto";
import {
  checkPaymentLink,
  operations,
  PAYMENT_LINK_SECONDS,
  type CommandReply,
  type PaymentLink,
  type PaymentLinkRecord,
} from "@holdfast/contracts";
import Negotiator from "negotiator";
import { refusalOf, replayedHeader } from "../bus/command-answer.ts";
import type { SendCommand } from "../bus/send-command.ts";
import { amountMinorOf } from "../endpoint/amount-minor.ts";
import { defineRoute, type Route } from "../endpoint/route.ts";
import { Refusal } from "../http/refusal.ts";
import { defineListRoute, type ListDeps } from "../lists/list-route.ts";
import type { ReadPart } from "../lists/read-page.ts";
import type { Row } from "../lists/row-columns.ts";
import { paymentLinkUrl } from "../public-pages/public-url.ts";
import { qrCodeSvg } from "./qr-code.ts";

type Deps = { send: SendCommand; publicUrl: string; lists: ListDeps };

/** The merchants' routes of payment links. */
export function paymentLinkRoutes(deps: Deps): Route[] {
  return [createRoute(deps), listRoute(deps), getRoute(deps), disableRoute(deps)];
}

/** The id is generated here, so that a command sent twice is one link. It has 122 random bits and cannot be guessed. */
function createRoute({ send, publicUrl }: Deps) {
  return defineRoute(
    operations.createPaymentLink,
    async (call) => {
      const { orderId, description, currency, returnUrl, installmentOptions, ...body } = call.body;
      const reply = await send(operations.createPaymentLink.command, call, {
        paymentLinkId: randomUUID(),
        orderId,
        description,
        amountMinor: amountMinorOf(call.body),
        currency,
        ...(installmentOptions && {
          installmentOptions: installmentOptions.map(({ source }) => Number(source)),
        }),
        threeDs: body.threeDs ?? true,
        ...(returnUrl !== undefined && { returnUrl }),
        use: body.use ?? "SINGLE",
        expiresInSeconds: Number(body.expiresInSeconds?.source ?? PAYMENT_LINK_SECONDS.default),
      });
      if (!("result" in reply)) return refusalOf(reply);
      const Location = `/api/payment-links/${reply.result.paymentLinkId}`;
      const headers = { Location, ...replayedHeader(reply) };
      return { status: 201, headers, body: linkAnswer(reply.result, publicUrl) };
    },
    checkPaymentLink,
  );
}

function listRoute({ send, publicUrl, lists }: Deps) {
  return defineListRoute(operations.listPaymentLinks, lists, (call) => {
    const part: ReadPart<Row> = async (from) => {
      const reply = await send(operations.listPaymentLinks.command, call, from);
      if (!("result" in reply)) return refusalOf(reply);
      const { items, ...rest } = reply.result;
      return {
        ...rest,
        items: items.map((each) => ({ ...each, item: linkAnswer(each.item, publicUrl) })),
      };
    };
    return { name: "payment-links", audience: call.caller.merchantId, parts: [part] };
  });
}

function getRoute({ send, publicUrl }: Deps) {
  return defineRoute(operations.getPaymentLink, async (call) => {
    const reply = await send(operations.getPaymentLink.command, call, call.path);
    if (!("result" in reply))
      return reply.outcome === "problem" ? refusalOf(reply) : new Refusal("service_unavailable");
    const wanted = new Negotiator(call.exchange.req).mediaType(["application/json", SVG]);
    if (wanted !== SVG) return { status: 200, body: linkAnswer(reply.result, publicUrl) };
    const svg = qrCodeSvg(paymentLinkUrl(publicUrl, reply.result.paymentLinkId));
    return { status: 200, headers: SVG_HEADERS, rows: () => onePiece(svg) };
  });
}

const SVG = "image/svg+xml";
/** A browser that opens it runs and loads nothing. */
const SVG_HEADERS = {
  "Content-Type": SVG,
  "Content-Security-Policy": "default-src 'none'; sandbox",
  Vary: "Accept",
};

async function* onePiece(text: string): AsyncGenerator<string> {
  yield text;
}

function disableRoute({ send, publicUrl }: Deps) {
  return defineRoute(operations.disablePaymentLink, async (call) => {
    const payload = { ...call.path, requestId: randomUUID() };
    const reply: CommandReply<PaymentLinkRecord> = await send(
      operations.disablePaymentLink.command,
      call,
      payload,
    );
    if (!("result" in reply)) return refusalOf(reply);
    return { status: 200, headers: replayedHeader(reply), body: linkAnswer(reply.result, publicUrl) };
  });
}

/** @param publicUrl where the page is. */
function linkAnswer({ paymentLinkId, ...rest }: PaymentLinkRecord, publicUrl: string): PaymentLink {
  return { paymentLinkId, paymentLinkUrl: paymentLinkUrl(publicUrl, paymentLinkId), ...rest };
}
