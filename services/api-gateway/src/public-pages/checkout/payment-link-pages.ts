/**
 * The page of a payment link on the public listener. It describes the purchase and takes no card: a buyer who
 * begins gets a checkout, whose page takes it. Requests for the link's page count by the client's address,
 * since a link is for many clients.
 */
import { randomUUID } from "node:crypto";
import { beginPaymentLink, isLive, viewPaymentLink, type PaymentLinkPage } from "@holdfast/contracts";
import { Router } from "express";
import { findPayee } from "../../merchant/find-payee.ts";
import { checkoutUrl, paymentLinkUrl } from "../public-url.ts";
import { goTo, notFound, trouble, type Visit } from "./answer-visit.ts";
import type { CheckoutPagesDeps } from "./checkout-pages.ts";
import { visitHandler, visitWithPermit } from "./handle-visit.ts";
import { generateNonce, pageHeaders } from "./page-headers.ts";
import { readForm } from "./read-form.ts";
import { renderPage } from "./render-page.ts";
import { type BuyerLocale, html, type Html } from "@holdfast/html";
import { LINK_TEXTS } from "./link-texts.ts";
import { PAGE_TEXTS } from "./page-texts.ts";
import { amountOf, renderNotice } from "./render-checkout.ts";

export function paymentLinkPages(deps: CheckoutPagesDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const on = (method: "get" | "post", path: string, handle: (visit: Visit) => Promise<void>) =>
    router[method](
      `/checkout/links/:paymentLinkId${path}`,
      visitHandler(deps, { ...LINK, route: `/checkout/links/{paymentLinkId}${path}`, handle }),
    );
  on("get", "", (visit) => visitWithPermit(deps, visit, "read", () => showLink(deps, visit)));
  on("post", "/begin", (visit) => begin(deps, visit));
  return router;
}

const LINK = {
  idOf: (params: unknown) => viewPaymentLink.request.safeParse(params).data?.paymentLinkId,
  urlOf: paymentLinkUrl,
  isLimitedById: false,
};

async function showLink(deps: CheckoutPagesDeps, visit: Visit): Promise<void> {
  const { asked, path, exchange, checkoutId: paymentLinkId } = visit;
  const reply = await deps.sendPage(viewPaymentLink, exchange, { paymentLinkId });
  const link = linkOf(visit, reply);
  if (!link) return;
  const merchant = await findPayee(deps.db, link.merchantId);
  if (!merchant) throw new Error("a payment link's merchant does not exist");
  const nonce = generateNonce();
  const { name: merchantName, branding } = merchant;
  const isTest = !isLive(merchant.merchantId);
  const frame = { assets: deps.assets, locale: asked.locale, nonce, path, merchantName, branding, isTest };
  // The form carries the id of the checkout that it begins: sent twice, it is one checkout.
  const begun = randomUUID();
  const form = { begun, token: deps.forms.tokens.issue({ checkoutId: paymentLinkId, paymentId: begun }) };
  const body = renderPage(frame, renderLink({ link, locale: asked.locale, path }, form));
  exchange.answer(200, pageHeaders(nonce, visit.reportsPath), body);
}

/** Wherever it leads, the next page says how things stand. */
async function begin(deps: CheckoutPagesDeps, visit: Visit): Promise<void> {
  const form = await readForm(deps.forms, visit);
  if (!form) return;
  const { exchange, asked, path, checkoutId: paymentLinkId } = visit;
  const checkoutId = form.get("paymentId")!;
  await visitWithPermit(deps, visit, "write", async () => {
    const reply = await deps.sendPage(beginPaymentLink, exchange, { paymentLinkId, checkoutId });
    const link = linkOf(visit, reply);
    if (!link) return;
    const next = link.status === "ACTIVE" ? new URL(checkoutUrl(deps.publicUrl, checkoutId)).pathname : path;
    goTo(visit, `${next}?lang=${asked.locale.language}`);
  });
}

/** The link; undefined when the visit has been answered otherwise. */
function linkOf(
  visit: Visit,
  reply: Awaited<ReturnType<CheckoutPagesDeps["sendPage"]>>,
): PaymentLinkPage | undefined {
  if ("result" in reply) {
    const link = reply.result as PaymentLinkPage;
    visit.exchange.merchantId = link.merchantId;
    return link;
  }
  if (reply.outcome === "problem") notFound(visit);
  else trouble(visit);
  return undefined;
}

/** A payment link as its page shows it. */
type ShownLink = { link: PaymentLinkPage; locale: BuyerLocale; path: string };

/** The order, with the way to the card's page or the reason against it. @param begun the checkout that it begins. */
export function renderLink({ link, locale, path }: ShownLink, form: { begun: string; token: string }): Html {
  const texts = PAGE_TEXTS[locale.language];
  const linkTexts = LINK_TEXTS[locale.language];
  const isActive = link.status === "ACTIVE";
  const amount = amountOf(link, locale.locale);
  return html`<section class="summary" aria-labelledby="summary-heading">
      <h1 id="summary-heading">
        <span class="quiet">${isActive ? texts.amount : texts.amountOfClosed}</span>
        <span class="amount">${amount}</span>
      </h1>
      <p class="order"><span class="quiet">${linkTexts.payFor}</span> ${link.description}</p>
    </section>
    ${
      link.status === "ACTIVE"
        ? html`<section class="card">
            <p>${linkTexts.hint}</p>
            <form method="post" action="${path}/begin?lang=${locale.language}" class="begin">
              <input type="hidden" name="paymentId" value="${form.begun}" />
              <input type="hidden" name="token" value="${form.token}" />
              <button type="submit" class="primary">${linkTexts.begin}</button>
            </form>
          </section>`
        : renderNotice(...linkTexts[link.status])
    }`;
}
