import { PROBLEMS } from "@holdfast/contracts";
import type { Exchange } from "../../http/exchange.ts";
import type { Refusal } from "../../http/refusal.ts";
import type { Html } from "@holdfast/html";
import type { PageAssets } from "./page-assets.ts";
import { generateNonce, pageHeaders, PRIVACY_HEADERS } from "./page-headers.ts";
import type { PageRequest } from "./page-request.ts";
import { PAGE_TEXTS } from "./page-texts.ts";
import { renderNotice } from "./render-checkout.ts";
import { renderPage } from "./render-page.ts";

/** One request of a checkout's page. */
export type Visit = {
  exchange: Exchange;
  asked: PageRequest;
  assets: PageAssets;
  /** The path for the reports of its policy. */
  reportsPath: string;
  checkoutId: string;
  path: string;
};

export function answerScript({ exchange }: Visit, body: object): void {
  exchange.answer(200, PRIVACY_HEADERS, JSON.stringify(body));
}

/**
 * Answers a form with the next page. A browser gets it by GET (303), so that a reload sends no card again;
 * the script goes there itself.
 */
export function goTo(visit: Visit, url: string): void {
  if (visit.asked.byScript) return answerScript(visit, { next: url });
  visit.exchange.answer(303, { ...PRIVACY_HEADERS, Location: url }, "");
}

export function notFound(visit: Visit): void {
  visit.exchange.code = "checkout_not_found";
  const texts = PAGE_TEXTS[visit.asked.locale.language];
  notice(visit, 404, renderNotice(texts.notFoundHeading, texts.notFoundText));
}

export function trouble(visit: Visit): void {
  visit.exchange.code ??= "service_unavailable";
  const texts = PAGE_TEXTS[visit.asked.locale.language];
  const retry = { path: visit.path, label: texts.retry };
  notice(visit, 503, renderNotice(texts.troubleHeading, texts.troubleText, retry));
}

/** The client sent what no form of ours sends: the fault is not ours, and sending it again does not help. */
export function unreadable(visit: Visit, { code }: Refusal): void {
  visit.exchange.code = code;
  const texts = PAGE_TEXTS[visit.asked.locale.language];
  const retry = { path: visit.path, label: texts.retry };
  const content = renderNotice(texts.unreadableHeading, texts.unreadableText, retry);
  notice(visit, PROBLEMS[code].status, content, {});
}

/** Answers before anything was read. */
export function tooOften(visit: Visit, { code, extra }: Refusal): void {
  visit.exchange.code = code;
  const texts = PAGE_TEXTS[visit.asked.locale.language];
  const retry = { path: visit.path, label: texts.retry };
  const content = renderNotice(texts.troubleHeading, texts.troubleText, retry);
  notice(visit, 429, content, extra?.headers);
}

function notice(
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
  const frame = { assets: visit.assets, locale: asked.locale, nonce, path };
  exchange.answer(
    status,
    { ...pageHeaders(nonce, visit.reportsPath), ...headers },
    renderPage(frame, content),
  );
}
