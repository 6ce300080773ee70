/**
 * The public pages of 3-D Secure: the way to the challenge, and the way back. Cardholders do not sign in; the
 * signed state in the path names the payment. The fields that a browser brings back go to `payments`, whose
 * acquirer judges them, and are stored nowhere: while they cannot be judged, the browser keeps them and sends
 * them again. A browser goes to the shop only when the payment has ended, and only to the address that the
 * merchant gave with it. Until then it gets a page that asks again by itself.
 */
import type { PageRateLimit } from "../../limits/page-rate-limit.ts";
import type { IncomingMessage } from "node:http";
import {
  completePayment,
  PROBLEMS,
  readSession,
  type BrowserReturn,
  type CommandReply,
  type SessionState,
  type Work,
} from "@holdfast/contracts";
import { Router } from "express";
import type { Exchange } from "../../http/exchange.ts";
import { queryText, requestHandler, type RoutedHandler } from "../../http/routed-request.ts";
import { formSource, type BodyLimit } from "../../limits/body-limit.ts";
import type { PageInFlightLimit } from "../../limits/in-flight-limit.ts";
import { isForm, readBody } from "../../http/read-body.ts";
import { Refusal } from "../../http/refusal.ts";
import { refuse } from "../../http/problem-response.ts";
import type { SendPageCommand } from "../../bus/send-command.ts";
import { chooseLocale, type BuyerLocale } from "@holdfast/html";
import type { Kysely } from "kysely";
import type { GatewayDatabase } from "../../database.ts";
import { findPayee } from "../../merchant/find-payee.ts";
import { shopUrlOfPayment } from "../shop-url.ts";
import { readBrowserReturn } from "./browser-return.ts";
import { BANK_PAGE_POLICY, challengeForm, challengePolicy } from "./challenge-form.ts";
import { answerSendAgain } from "./send-again.ts";
import type { PagePurpose, SessionIds, SignedSessions } from "./signed-session.ts";
import { answerNotice, PAGE_HEADERS, PAGE_TEXTS, REDIRECT_HEADERS } from "./status-page.ts";

export type ThreeDsPagesDeps = {
  send: SendPageCommand;
  db: Kysely<GatewayDatabase>;
  sessions: SignedSessions;
  /** The permits for pages; above the limit the page asks again after a moment. */
  withPermit: PageInFlightLimit;
  /** Forms that arrive at the same time. */
  bodies: BodyLimit;
  /** Refuses who asks too often, before anything is read. */
  rate: PageRateLimit;
  /** Epoch milliseconds. */
  now: () => number;
};

/** One request of a page whose state is genuine. */
type Visit = {
  exchange: Exchange;
  request: IncomingMessage;
  ids: SessionIds;
  locale: BuyerLocale;
  /**
   * The address of this page without the browser's fields, at which it asks again, in the chosen language.
   */
  path: string;
  /** The fields that the browser brought back from the issuer, if it brought any. */
  returned?: BrowserReturn;
};

type ServedPage = {
  purpose: PagePurpose;
  methods: string[];
  handle: (visit: Visit) => Promise<void>;
};

export function threeDsPages(deps: ThreeDsPagesDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const page = (served: ServedPage) =>
    router.all(`/3ds/${served.purpose}/:state`, visitHandler(deps, served));
  page({
    purpose: "challenge",
    methods: ["GET"],
    handle: (visit) => showChallenge(deps, visit),
  });
  page({
    purpose: "return",
    methods: ["GET", "POST"],
    handle: (visit) => takeReturn(deps, visit),
  });
  return router;
}

function visitHandler(deps: ThreeDsPagesDeps, page: ServedPage): RoutedHandler {
  return requestHandler(async (request, exchange) => {
    exchange.route = `/3ds/${page.purpose}/{state}`;
    const chosen = LANGUAGE_ALONE.exec(queryText(request))?.[1];
    const locale = chooseLocale(chosen, request.headers["accept-language"]);
    const { state = "" } = request.params;
    // The state is the client's own text until its signature is verified, so it is in no header and in no
    // page.
    const verified = deps.sessions.verify(state, page.purpose, deps.now());
    const paymentId = verified.kind === "valid" ? verified.ids.paymentId : undefined;
    if (paymentId !== undefined) deps.rate.know(paymentId);
    const refusal = deps.rate.admit(exchange, paymentId);
    if (refusal) {
      exchange.code = refusal.code;
      const refreshS = Number(refusal.extra?.headers?.["Retry-After"]);
      const isGenuine = verified.kind === "valid";
      // The form was not read, and asking again without it would lose what the browser brought.
      if (isGenuine && request.method === "POST")
        return answerNotice(exchange, 429, "reload", { locale, refreshS });
      const refresh = isGenuine ? { refreshUrl: queryText(request) ? "" : state, refreshS } : { refreshS };
      return answerNotice(exchange, 429, "unavailable", { locale, ...refresh });
    }
    // HEAD, which link previews send, must not complete a payment either.
    if (!page.methods.includes(request.method ?? "")) {
      return refuse(
        exchange,
        new Refusal("method_not_allowed", { headers: { Allow: page.methods.join(", ") } }),
      );
    }
    if (verified.kind === "forged") return answerNotice(exchange, 404, "invalid", { locale });
    if (verified.kind === "expired") return answerNotice(exchange, 410, "expired", { locale });
    const visit: Visit = {
      exchange,
      request,
      ids: verified.ids,
      locale,
      path: chosen === undefined ? state : `${state}?lang=${chosen}`,
    };
    exchange.paymentId = visit.ids.paymentId;
    try {
      await page.handle(visit);
    } catch (error) {
      exchange.error = error;
      askAgain(visit);
    }
  });
}

/** Our own query; the query of a bank's return has other fields. */
const LANGUAGE_ALONE = /^lang=([a-z]{2})$/;

async function showChallenge(deps: ThreeDsPagesDeps, visit: Visit): Promise<void> {
  const { exchange, ids, locale } = visit;
  await withPermit(deps, visit, "read", async () => {
    const reply = await deps.send(readSession, exchange, ids);
    const challenge = "result" in reply ? reply.result.challenge : undefined;
    if (!challenge) return await answerState(deps, visit, reply);
    if ("html" in challenge) {
      const headers = { ...PAGE_HEADERS, "Content-Security-Policy": BANK_PAGE_POLICY };
      return exchange.answer(200, headers, challenge.html);
    }
    const form = challengeForm(challenge, {
      language: locale.language,
      button: PAGE_TEXTS[locale.language].continue,
    });
    exchange.answer(200, { ...PAGE_HEADERS, "Content-Security-Policy": challengePolicy(challenge) }, form);
  });
}

async function takeReturn(deps: ThreeDsPagesDeps, visit: Visit): Promise<void> {
  const { exchange, ids, locale } = visit;
  const text = await returnedText(deps, visit);
  if (text instanceof Refusal) {
    exchange.code = text.code;
    return answerNotice(exchange, PROBLEMS[text.code].status, "invalid", { locale });
  }
  const returned = readBrowserReturn(text);
  if (!returned) return answerNotice(exchange, 400, "invalid", { locale });
  if (returned.fields.length > 0) visit.returned = returned;
  await withPermit(deps, visit, "external", async () =>
    answerState(deps, visit, await deps.send(completePayment, exchange, { ...ids, returned })),
  );
}

/** Takes a permit, when all of the request is there. */
async function withPermit(
  deps: ThreeDsPagesDeps,
  visit: Visit,
  work: Work,
  answer: () => Promise<void>,
): Promise<void> {
  const { clientAddress } = visit.exchange;
  if (!(await deps.withPermit({ clientAddress, subject: visit.ids.paymentId }, work, answer)))
    askAgain(visit);
}

/** The fields of the return as they came, from the query or the form. */
async function returnedText(
  { bodies }: ThreeDsPagesDeps,
  { request, exchange }: Visit,
): Promise<string | Refusal> {
  if (request.method === "GET") return queryText(request).replace(LANGUAGE_ALONE, "");
  const body = await readBody(exchange, formSource(bodies, exchange), isForm);
  return body instanceof Refusal ? body : body.toString("utf8");
}

/** Goes on to the shop with a payment that has ended; with an unknown outcome the browser waits here. */
async function answerState(
  deps: ThreeDsPagesDeps,
  visit: Visit,
  reply: CommandReply<SessionState>,
): Promise<void> {
  const { exchange, locale } = visit;
  switch (reply.outcome) {
    case "done":
      return exchange.answer(303, { ...REDIRECT_HEADERS, Location: shopUrlOfPayment(reply.result) }, "");
    case "pending":
      return await answerPending(deps, visit, reply.result);
    case "problem":
      exchange.code = reply.code;
      return answerNotice(exchange, 404, "invalid", { locale });
    case "not_started":
    case "in_doubt":
      return askAgain(visit);
    default:
      return reply satisfies never;
  }
}

async function answerPending(
  { db }: ThreeDsPagesDeps,
  { exchange, locale, path, returned }: Visit,
  { payment, merchantId, challenge, returnWas }: SessionState,
): Promise<void> {
  const payee = await findPayee(db, merchantId);
  const order = payee && { payment, merchantName: payee.name };
  const [switchPath] = path.split("?");
  // No hop by itself: an issuer that sends every browser back in the same way would have it go round forever.
  if (returnWas === "not_genuine") {
    const challengeUrl = challenge?.pageUrl;
    return answerNotice(exchange, 400, "unproven", { locale, order, switchPath, challengeUrl });
  }
  if (returnWas === "not_used" && returned)
    return answerSendAgain(exchange, 200, { locale, order, path, returned });
  answerNotice(exchange, 200, "waiting", { locale, order, switchPath, refreshUrl: path });
}

function askAgain({ exchange, locale, path, returned }: Visit): void {
  exchange.code ??= "service_unavailable";
  if (returned) return answerSendAgain(exchange, 503, { locale, path, returned });
  answerNotice(exchange, 503, "unavailable", { locale, refreshUrl: path });
}
