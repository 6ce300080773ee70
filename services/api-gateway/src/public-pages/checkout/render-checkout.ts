import {
  chargedAmount,
  currencyExponent,
  formatAmount,
  type ApiPaymentResponse,
  type CheckoutPage,
} from "@holdfast/contracts";
import { html, keepFormatters, localeOf, writeAmount, type BuyerLocale, type Html } from "@holdfast/html";
import { LINK_TEXTS } from "./link-texts.ts";
import { PAGE_TEXTS } from "./page-texts.ts";

/** A checkout as the page shows it. All functions here are pure. */
export type ShownCheckout = {
  checkout: CheckoutPage;
  merchantName: string;
  locale: BuyerLocale;
  /** Path of this page. */
  path: string;
};

/**
 * True while the checkout's payment is under way at the bank: nothing may be begun, and nothing is decided.
 */
export function isUnderWay({ status, payment }: CheckoutPage): boolean {
  return status === "OPEN" && payment?.status === "ENROLLED";
}

/** The order and its amount. @param until shown where there is something to do until then. */
export function summary(
  { checkout, locale }: ShownCheckout,
  { until = false }: { until?: boolean } = {},
): Html {
  const texts = PAGE_TEXTS[locale.language];
  return html`<section class="summary" aria-labelledby="summary-heading">
    <h1 id="summary-heading">
      <span class="quiet"
        >${checkout.status === "OPEN" && !checkout.linkIs ? texts.amount : texts.amountOfClosed}</span
      >
      <span class="amount">${amountShown(checkout, locale.locale)}</span>
    </h1>
    <p class="order">
      <span class="quiet"
        >${checkout.description === undefined ? texts.order : LINK_TEXTS[locale.language].payFor}</span
      >
      ${checkout.description ?? checkout.orderId}
    </p>
    ${
      until &&
      html`<p class="open-until quiet">
        ${texts.openUntil}
        <time id="open-until" datetime="${checkout.expiresAt}" data-locale="${localeOf(locale.locale)}"
          >${writeInUtc(checkout.expiresAt, locale.locale)}</time
        >
      </p>`
    }
  </section>`;
}

/**
 * Writes the time in UTC for browsers without JavaScript, whose time zone is unknown; the script writes the
 * buyer's local time.
 */
export function writeInUtc(expiresAt: string, locale: string): string {
  return `${timeFormatter(locale).format(new Date(expiresAt))} UTC`;
}

const timeFormatter = keepFormatters(
  (locale: string) =>
    new Intl.DateTimeFormat(localeOf(locale), { dateStyle: "long", timeStyle: "short", timeZone: "UTC" }),
);

/** The bank has not answered, or requires a challenge first. */
export function renderWaiting(shown: ShownCheckout): Html {
  const { checkout, path, locale } = shown;
  const texts = PAGE_TEXTS[locale.language];
  const { challengeUrl } = checkout;
  return html`${summary(shown)}
    <section class="card" data-poll="${path}/state" aria-labelledby="state-heading">
      <div role="status">
        <h2 id="state-heading">${challengeUrl ? texts.challengeHeading : texts.waitingHeading}</h2>
        <p>${challengeUrl ? texts.challengeText : texts.waitingText}</p>
      </div>
      ${
        challengeUrl
          ? html`<p><a class="primary" href="${challengeUrl}">${texts.challengeAction}</a></p>
              <p class="hint">${texts.challengeOther}</p>`
          : html`<div class="spinner" aria-hidden="true"></div>`
      }
    </section>`;
}

/** A checkout that is over, and the way back to the shop. */
export function renderClosed(shown: ShownCheckout, shopUrl: string | undefined): Html {
  const { checkout, merchantName, locale } = shown;
  const texts = PAGE_TEXTS[locale.language];
  const [heading, text] = closedTexts(shown);
  const paid = checkout.status === "COMPLETED";
  return html`${summary(shown)}
    <section class="card closed" aria-labelledby="state-heading">
      <span class="sign ${paid ? "good" : "bad"}" aria-hidden="true">${paid ? "✓" : "!"}</span>
      <div role="status">
        <h2 id="state-heading" tabindex="-1">${heading}</h2>
        <p>${text}</p>
      </div>
      ${paid && receipt(shown)}
      ${
        shopUrl !== undefined &&
        html`<p>
          <a class="primary" href="${shopUrl}"
            >${paid ? texts.continueTo(merchantName) : texts.back(merchantName)}</a
          >
        </p>`
      }
    </section>`;
}

/** The facts of a payment that a buyer may have to name later. The script writes the date in the buyer's own time. */
function receipt({ checkout: { payment, orderId, description }, locale }: ShownCheckout): Html | false {
  if (!payment) return false;
  const texts = PAGE_TEXTS[locale.language];
  const at = payment.paymentDate;
  const fact = (name: string, value: Html | string) =>
    html`<div>
      <dt>${name}</dt>
      <dd>${value}</dd>
    </div>`;
  return html`<dl class="receipt">
      ${fact(
        texts.paidOn,
        html`<time class="moment" datetime="${at}" data-locale="${localeOf(locale.locale)}"
          >${writeInUtc(at, locale.locale)}</time
        >`,
      )}
      ${fact(texts.paidWith, texts.cardEnding(payment.pan.slice(-4)))}
      ${description !== undefined && fact(texts.order, orderId)} ${fact(texts.reference, payment.paymentId)}
    </dl>
    <button type="button" class="plain" data-print hidden>${texts.print}</button>`;
}

/** An open checkout that no longer takes a payment, since its link is another buyer's, or has ended. */
export function renderLinkState(shown: ShownCheckout, linkIs: NonNullable<CheckoutPage["linkIs"]>): Html {
  const [heading, text] = LINK_TEXTS[shown.locale.language][linkIs];
  return html`${summary(shown)} ${renderNotice(heading, text)}`;
}

function closedTexts({ checkout, merchantName, locale }: ShownCheckout): [string, string] {
  const texts = PAGE_TEXTS[locale.language];
  const returns = checkout.failureUrl !== undefined;
  switch (checkout.status) {
    case "COMPLETED":
      return [texts.completedHeading, (returns ? texts.completedText : texts.completedHere)(merchantName)];
    case "EXPIRED":
      return [texts.expiredHeading, returns ? texts.expiredText : texts.expiredHere];
    case "CANCELLED":
      return checkout.attemptsLeft === 0
        ? [texts.exhaustedHeading, returns ? texts.exhaustedText : texts.exhaustedHere]
        : [texts.cancelledHeading, returns ? texts.cancelledText : texts.cancelledHere];
    case "OPEN":
      throw new Error("an open checkout is not over");
    default:
      return checkout.status satisfies never;
  }
}

/** A page without a checkout: there is no such checkout, or it cannot be read. */
export function renderNotice(heading: string, text: string, retry?: { path: string; label: string }): Html {
  return html`<section class="card closed">
    <span class="sign bad" aria-hidden="true">!</span>
    <h1 class="notice">${heading}</h1>
    <p>${text}</p>
    ${retry && html`<p><a class="primary" href="${retry.path}">${retry.label}</a></p>`}
  </section>`;
}

/** The order's price, or what its payment charges: that has the buyer's cost of installments in it. */
function amountShown(checkout: CheckoutPage, locale: string): string {
  const { payment } = checkout;
  const isPaid = checkout.status === "COMPLETED" || isUnderWay(checkout);
  const hasTotal = payment?.installmentTotal !== undefined && isPaid;
  return hasTotal ? chargedBy(payment, locale) : amountOf(checkout, locale);
}

/** The amount that a payment charges, as the buyer writes it. */
export function chargedBy(
  payment: Pick<ApiPaymentResponse, "amount" | "installmentTotal" | "currency">,
  locale: string,
): string {
  const { currency } = payment;
  const exponent = currencyExponent(currency) ?? 0;
  return writeAmount(locale, chargedAmount(payment).toFixed(exponent) as `${number}`, currency, exponent);
}

/** The amount, as the buyer writes it. */
export function amountOf(
  { amountMinor, currency }: Pick<CheckoutPage, "amountMinor" | "currency">,
  locale: string,
): string {
  const exponent = currencyExponent(currency) ?? 0;
  return writeAmount(locale, formatAmount(BigInt(amountMinor), exponent) as `${number}`, currency, exponent);
}
