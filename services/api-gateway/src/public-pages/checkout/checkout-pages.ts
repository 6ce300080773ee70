/**
 * The hosted checkout on the public listener: one page for each checkout, whatever its state, and the requests of its
 * form. Buyers do not sign in; anybody who knows a checkout's id may see it and pay it. Card data comes in the body of
 * one POST, is sealed as on the merchant API, and is in no answer: a form that is shown again is empty.
 */
import { randomUUIDv7 } from "node:crypto";
import type { IncomingMessage } from "node:http";
import {
  binSchema,
  cancelCheckout,
  inspectCheckoutCard,
  viewCheckout,
  type CheckoutPage,
  type Work,
} from "@holdfast/contracts";
import { Router, type RequestHandler } from "express";
import type { Kysely } from "kysely";
import type { GatewayDatabase } from "../../database.ts";
import type { Exchange } from "../../http/exchange.ts";
import { requestHandler } from "../../http/routed-request.ts";
import type { PageInFlightLimit } from "../../limits/in-flight-limit.ts";
import { isForm, readBody } from "../../http/read-body.ts";
import { Refusal } from "../../http/refusal.ts";
import { findPayee } from "../../merchant/merchant-queries.ts";
import { checkoutUrl } from "../public-url.ts";
import type { FormTokens } from "./form-token.ts";
import type { Html } from "../html.ts";
import type { PageAssets } from "./page-assets.ts";
import { generateNonce, pageHeaders, PRIVACY_HEADERS } from "./page-headers.ts";
import { isCrossSite, readPageRequest, type PageRequest } from "./page-request.ts";
import type { AdmitPage } from "../../limits/page-rate-limit.ts";
import { PAGE_TEXTS } from "./page-texts.ts";
import { payByForm, type PayByFormDeps } from "./pay-by-form.ts";
import {
  isUnderWay,
  renderClosed,
  renderNotice,
  renderWaiting,
  type ShownCheckout,
} from "./render-checkout.ts";
import { faultsOf, installmentChoices, renderForm } from "./render-form.ts";
import { renderPage } from "./render-page.ts";
import type { SendPageCommand } from "../../bus/send-command.ts";
import { shopUrlOfCheckout } from "../shop-url.ts";

export type CheckoutPagesDeps = PayByFormDeps & {
  sendPage: SendPageCommand;
  db: Kysely<GatewayDatabase>;
  tokens: FormTokens;
  assets: PageAssets;
  /** Limits the requests of each client. */
  admit: AdmitPage;
  /** Over the limit, the page asks the buyer to try again. */
  inPlace: PageInFlightLimit;
};

/** One request of the page, about a checkout that exists. */
type Visit = {
  request: IncomingMessage;
  exchange: Exchange;
  asked: PageRequest;
  checkoutId: string;
  path: string;
};

export function checkoutPages(deps: CheckoutPagesDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const on = (method: "get" | "post", path: string, work: Work, handle: (visit: Visit) => Promise<void>) =>
    router[method](`/checkout/:checkoutId${path}`, visitHandler(deps, { path, work, handle }));
  for (const asset of Object.values(deps.assets)) {
    const sendAsset = requestHandler((_request, exchange) => {
      exchange.route = "/checkout/assets";
      exchange.answer(200, { "Content-Type": asset.mediaType, ...ASSET_HEADERS }, asset.body);
    });
    router.get(asset.path, sendAsset);
  }
  on("get", "", "read", (visit) => showCheckout(deps, visit));
  on("get", "/state", "read", (visit) => tellState(deps, visit));
  on("post", "/card", "read", (visit) => tellCard(deps, visit));
  on("post", "/pay", "external", (visit) => pay(deps, visit));
  on("post", "/cancel", "write", (visit) => cancel(deps, visit));
  return router;
}

/** Its address names its content. */
const ASSET_HEADERS = {
  "Cache-Control": "public, max-age=31536000, immutable",
  "Cross-Origin-Resource-Policy": "same-origin",
};

/** Every request of the page goes through here. */
function visitHandler(
  deps: CheckoutPagesDeps,
  { path: subPath, work, handle }: { path: string; work: Work; handle: (visit: Visit) => Promise<void> },
): RequestHandler {
  return requestHandler(async (request, exchange) => {
    exchange.route = `/checkout/{checkoutId}${subPath}`;
    const asked = readPageRequest(request);
    const id = viewCheckout.request.safeParse(request.params);
    const path = new URL(checkoutUrl(deps.publicUrl, id.data?.checkoutId ?? "")).pathname;
    const visit = { request, exchange, asked, checkoutId: id.data?.checkoutId ?? "", path };
    const refusal = deps.admit(exchange);
    if (refusal) return tooOften(deps, visit, refusal);
    if (!id.success) return notFound(deps, visit);
    try {
      const hadPlace = await deps.inPlace(exchange, work, async () => {
        if (request.method === "POST" && isCrossSite(request)) return notFound(deps, visit);
        await handle(visit);
      });
      if (!hadPlace) trouble(deps, visit);
    } catch (error) {
      exchange.error = error;
      trouble(deps, visit);
    }
  });
}

async function showCheckout(deps: CheckoutPagesDeps, visit: Visit): Promise<void> {
  const checkout = await look(deps, visit);
  if (!checkout) return;
  const merchant = await findPayee(deps.db, checkout.merchantId);
  if (!merchant) throw new Error("a checkout's merchant does not exist");
  const { asked, path, exchange } = visit;
  const shown: ShownCheckout = { checkout, merchantName: merchant.name, locale: asked.locale, path };
  const nonce = generateNonce();
  const frame = { assets: deps.assets, locale: asked.locale, nonce, path, merchantName: merchant.name };
  const send = (body: string) => exchange.answer(200, pageHeaders(nonce), body);

  if (isUnderWay(checkout)) return send(renderPage(frame, renderWaiting(shown), { refreshSeconds: 5 }));
  if (checkout.status !== "OPEN") {
    const url = shopUrlOfCheckout(checkout);
    // A buyer whose payment failed stays on the page to read why.
    const isOver =
      checkout.status === "COMPLETED" || (checkout.status === "CANCELLED" && checkout.attemptsLeft > 0);
    return send(renderPage(frame, renderClosed(shown, url), { onwardUrl: isOver ? url : undefined }));
  }
  const paymentId = randomUUIDv7();
  const form = {
    paymentId,
    token: deps.tokens.issue({ checkoutId: visit.checkoutId, paymentId }),
    faults: faultsOf(asked.query),
  };
  send(renderPage(frame, renderForm(shown, form)));
}

/** Answers the page's script while it waits. */
async function tellState(deps: CheckoutPagesDeps, visit: Visit): Promise<void> {
  const checkout = await look(deps, visit);
  if (checkout) answerScript(visit, { isUnderWay: isUnderWay(checkout) });
}

/** Looks up a card's first digits. They come in the body, since addresses are logged. */
async function tellCard(deps: CheckoutPagesDeps, visit: Visit): Promise<void> {
  const form = await readForm(deps, visit);
  const bin = form?.get("bin") ?? "";
  const checkout = form && (await look(deps, visit));
  if (!checkout) return;
  if (!binSchema.safeParse(bin).success) return notFound(deps, visit);
  const reply = await deps.sendPage(inspectCheckoutCard, visit.exchange, {
    checkoutId: visit.checkoutId,
    bin,
  });
  if (!("result" in reply)) return reply.outcome === "problem" ? notFound(deps, visit) : trouble(deps, visit);
  const installments = installmentChoices(checkout, reply.result.installmentCounts, visit.asked.locale);
  answerScript(visit, { cardScheme: reply.result.cardScheme, installments });
}

async function pay(deps: CheckoutPagesDeps, visit: Visit): Promise<void> {
  const form = await readForm(deps, visit);
  if (!form) return;
  const { exchange, asked, path, checkoutId } = visit;
  const checkout = await look(deps, visit);
  if (!checkout) return;
  const answer = await payByForm(deps, { exchange, checkout, form, asked });
  const here = `${path}?lang=${asked.locale.language}`;
  switch (answer.kind) {
    case "onward":
      return goTo(visit, answer.url ?? here);
    case "faults": {
      if (asked.byScript) return answerScript(visit, { faults: answer.faults });
      return goTo(visit, `${here}&faults=${answer.faults.join(",")}`);
    }
    case "declined": {
      if (!asked.byScript) return goTo(visit, here);
      const paymentId = randomUUIDv7();
      const token = deps.tokens.issue({ checkoutId, paymentId });
      return answerScript(visit, { ...answer.texts, form: { paymentId, token } });
    }
    default:
      return answer satisfies never;
  }
}

async function cancel(deps: CheckoutPagesDeps, visit: Visit): Promise<void> {
  const form = await readForm(deps, visit);
  if (!form) return;
  await deps.sendPage(cancelCheckout, visit.exchange, { checkoutId: visit.checkoutId });
  // Whatever the reply was, the page shows the state of the checkout.
  goTo(visit, `${visit.path}?lang=${visit.asked.locale.language}`);
}

/** The current checkout; undefined when the visit has been answered otherwise. */
async function look(deps: CheckoutPagesDeps, visit: Visit): Promise<CheckoutPage | undefined> {
  const reply = await deps.sendPage(viewCheckout, visit.exchange, { checkoutId: visit.checkoutId });
  if ("result" in reply) {
    visit.exchange.merchantId = reply.result.merchantId;
    visit.exchange.paymentId = reply.result.payment?.paymentId;
    return reply.result;
  }
  if (reply.outcome === "problem") notFound(deps, visit);
  else trouble(deps, visit);
  return undefined;
}

/** A form of ours; undefined when the visit has been answered otherwise. */
async function readForm(deps: CheckoutPagesDeps, visit: Visit): Promise<URLSearchParams | undefined> {
  const { exchange, checkoutId, path, asked } = visit;
  const body = await readBody(exchange, isForm);
  if (body instanceof Refusal) {
    exchange.code = body.code;
    trouble(deps, visit);
    return undefined;
  }
  const form = new URLSearchParams(body.toString("utf8"));
  const paymentId = form.get("paymentId") ?? "";
  if (UUID.test(paymentId) && deps.tokens.verify({ checkoutId, paymentId }, form.get("token") ?? ""))
    return form;
  if (asked.byScript) answerScript(visit, { faults: ["form.stale"] });
  else goTo(visit, `${path}?lang=${asked.locale.language}&faults=form.stale`);
  return undefined;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function answerScript({ exchange }: Visit, body: object): void {
  exchange.answer(200, PRIVACY_HEADERS, JSON.stringify(body));
}

/**
 * Answers a form with the next page. A browser gets it by GET (303), so that a reload sends no card again; the script goes there itself.
 */
function goTo(visit: Visit, url: string): void {
  if (visit.asked.byScript) return answerScript(visit, { next: url });
  visit.exchange.answer(303, { ...PRIVACY_HEADERS, Location: url }, "");
}

function notFound(deps: CheckoutPagesDeps, visit: Visit): void {
  visit.exchange.code = "checkout_not_found";
  const texts = PAGE_TEXTS[visit.asked.locale.language];
  notice(deps, visit, 404, renderNotice(texts.notFoundHeading, texts.notFoundText));
}

function trouble(deps: CheckoutPagesDeps, visit: Visit): void {
  visit.exchange.code ??= "service_unavailable";
  const texts = PAGE_TEXTS[visit.asked.locale.language];
  const retry = { path: visit.path, label: texts.retry };
  notice(deps, visit, 503, renderNotice(texts.troubleHeading, texts.troubleText, retry));
}

/** Answers before anything was read. */
function tooOften(deps: CheckoutPagesDeps, visit: Visit, { code, extra }: Refusal): void {
  visit.exchange.code = code;
  const texts = PAGE_TEXTS[visit.asked.locale.language];
  const retry = { path: visit.path, label: texts.retry };
  const content = renderNotice(texts.troubleHeading, texts.troubleText, retry);
  notice(deps, visit, 429, content, extra?.headers);
}

function notice(
  deps: CheckoutPagesDeps,
  visit: Visit,
  status: number,
  content: Html,
  headers: Record<string, string> = { "Retry-After": "2" },
): void {
  const { asked, path, exchange } = visit;
  if (asked.byScript) {
    const body = JSON.stringify({ faults: ["form.busy"] });
    return exchange.answer(status, { ...PRIVACY_HEADERS, ...headers }, body);
  }
  const nonce = generateNonce();
  const frame = { assets: deps.assets, locale: asked.locale, nonce, path };
  exchange.answer(status, { ...pageHeaders(nonce), ...headers }, renderPage(frame, content));
}
