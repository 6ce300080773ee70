import type { PaymentLinkPage } from "@holdfast/contracts";
import type { BuyerLocale } from "@holdfast/html";
import { html, type Html } from "@holdfast/html";
import { LINK_TEXTS } from "./link-texts.ts";
import { PAGE_TEXTS } from "./page-texts.ts";
import { amountOf, renderNotice } from "./render-checkout.ts";

/** A payment link as its page shows it. */
export type ShownLink = { link: PaymentLinkPage; locale: BuyerLocale; path: string };

/** What is paid for, with the way to the card's page, or why there is none. @param begun the checkout that it begins. */
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
