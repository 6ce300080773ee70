import { currencyExponent, formatAmount, type CheckoutPage } from "@holdfast/contracts";
import { writeAmount, type BuyerLocale } from "./choose-language.ts";
import { html, type Html } from "./html.ts";
import { declineText, FAULT_TEXTS, faultText, PAGE_TEXTS } from "./page-texts.ts";
import { FORM_FIELDS, type FormField } from "./read-card-form.ts";

/** What is shown of a checkout: the parts of the page that depend on how it stands. All are pure. */
export type ShownCheckout = {
  checkout: CheckoutPage;
  merchantName: string;
  locale: BuyerLocale;
  /** Path of this page. */
  path: string;
};

/** Under way at the bank: nothing may be begun, and nothing is decided. */
export function isUnderWay({ status, payment }: CheckoutPage): boolean {
  return status === "OPEN" && payment?.status === "ENROLLED";
}

/** What the order is and what it costs. @param until shown where there is something to do until then. */
function summary({ checkout, locale }: ShownCheckout, { until = false }: { until?: boolean } = {}): Html {
  const texts = PAGE_TEXTS[locale.language];
  return html`<section class="summary" aria-labelledby="summary-heading">
    <h1 id="summary-heading">
      <span class="quiet">${checkout.status === "OPEN" ? texts.amount : texts.amountOfClosed}</span>
      <span class="amount">${amountOf(checkout, locale.locale)}</span>
    </h1>
    <p class="order"><span class="quiet">${texts.order}</span> ${checkout.orderId}</p>
    ${
      until &&
      html`<p class="open-until quiet" hidden>
        ${texts.openUntil}
        <time id="open-until" datetime="${checkout.expiresAt}" data-locale="${locale.locale}"></time>
      </p>`
    }
  </section>`;
}

export type FormState = {
  paymentId: string;
  token: string;
  /** Faults of an earlier form, from a browser without JavaScript. */
  faults: readonly string[];
};

/** The card form of an open checkout, with what became of the card before this one. */
// oxlint-disable-next-line max-lines-per-function -- one form, from top to bottom
export function renderForm(shown: ShownCheckout, { paymentId, token, faults }: FormState): Html {
  const { checkout, merchantName, locale, path } = shown;
  const { language } = locale;
  const texts = PAGE_TEXTS[language];
  const fault = (field: FormField | "form") => faults.find((each) => each.startsWith(`${field}.`));
  const field = (name: FormField, label: string, input: Html, hint?: string) => {
    const wrong = fault(name);
    return html`<div class="field${wrong ? " wrong" : ""}">
      <label for="${name}">${label}</label>
      ${input} ${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
      <p class="fault" id="${name}-fault">${wrong && faultText(language, wrong)}</p>
    </div>`;
  };
  const described = (name: FormField, hasHint = false) =>
    html`aria-describedby="${name}-fault${hasHint ? ` ${name}-hint` : ""}"
    ${fault(name) && html`aria-invalid="true"`}`;
  const failed = checkout.payment?.status === "FAILED" || checkout.payment?.status === "CANCELLED";
  const formFault = fault("form");

  return html`${summary(shown, { until: true })}
    <section class="card" aria-labelledby="card-heading">
      <div id="outcome" class="alert" role="alert" tabindex="-1" ${!failed && !formFault && html`hidden`}>
        ${(failed || formFault) && declined(shown, formFault)}
      </div>
      <h2 id="card-heading">${texts.cardHeading}</h2>
      <form
        id="card-form"
        method="post"
        action="${path}/pay?lang=${language}"
        autocomplete="on"
        data-texts="${JSON.stringify({
          faults: FAULT_TEXTS[language],
          checkFields: texts.checkFields,
          paying: texts.paying,
          payingStatus: texts.payingStatus,
          pay: texts.pay(amountOf(checkout, locale.locale)),
        })}"
        data-expires-at="${checkout.expiresAt}"
        data-card-path="${path}/card?lang=${language}"
      >
        <input type="hidden" name="paymentId" value="${paymentId}" />
        <input type="hidden" name="token" value="${token}" />
        ${field(
          "pan",
          texts.pan,
          html`<span class="with-scheme"
            ><input
              id="pan"
              name="pan"
              type="text"
              inputmode="numeric"
              autocomplete="cc-number"
              spellcheck="false"
              required
              maxlength="40"
              ${described("pan")} /><output id="scheme" for="pan" class="scheme"></output
          ></span>`,
        )}
        ${field(
          "cardHolderName",
          texts.cardHolderName,
          html`<input
            id="cardHolderName"
            name="cardHolderName"
            type="text"
            autocomplete="cc-name"
            autocapitalize="words"
            spellcheck="false"
            required
            maxlength="90"
            ${described("cardHolderName")}
          />`,
        )}
        <div class="pair">
          ${field(
            "expiry",
            texts.expiry,
            html`<input
              id="expiry"
              name="expiry"
              type="text"
              inputmode="numeric"
              autocomplete="cc-exp"
              placeholder="${texts.expiryPlaceholder}"
              required
              maxlength="12"
              ${described("expiry", true)}
            />`,
            texts.expiryHint,
          )}
          ${field(
            "cvv",
            texts.cvv,
            html`<input
              id="cvv"
              name="cvv"
              type="text"
              inputmode="numeric"
              autocomplete="cc-csc"
              required
              maxlength="4"
              ${described("cvv", true)}
            />`,
            texts.cvvHint,
          )}
        </div>
        ${installments(shown, fault("installmentCount"))}
        <button id="pay" type="submit" class="primary">
          ${texts.pay(amountOf(checkout, locale.locale))}
        </button>
        <p id="status" class="status" role="status"></p>
      </form>
      <form method="post" action="${path}/cancel?lang=${language}" class="cancel">
        <input type="hidden" name="paymentId" value="${paymentId}" />
        <input type="hidden" name="token" value="${token}" />
        <button type="submit" class="plain">${texts.cancel(merchantName)}</button>
      </form>
    </section>`;
}

/** Why there is a form again, although one was sent. */
function declined({ checkout, locale: { language } }: ShownCheckout, formFault: string | undefined): Html {
  const texts = PAGE_TEXTS[language];
  if (formFault !== undefined) return html`<p>${faultText(language, formFault)}</p>`;
  return html`<p class="alert-heading">${texts.declinedHeading}</p>
    <p>
      ${declineText(language, checkout.payment?.resultCode)} ${texts.notCharged}
      ${texts.attemptsLeft(checkout.attemptsLeft)}
    </p>`;
}

/** All of the checkout's without JavaScript; with it those of the card, once its number is typed. */
function installments({ checkout, locale }: ShownCheckout, wrong: string | undefined): Html | false {
  if (checkout.installmentOptions.length < 2) return false;
  const texts = PAGE_TEXTS[locale.language];
  return html`<fieldset id="installments" aria-describedby="installmentCount-fault installments-hint">
    <legend>${texts.installments}</legend>
    ${installmentChoices(checkout, checkout.installmentOptions, locale).map(
      ({ count, label }) =>
        html`<label class="choice"
          ><input
            type="radio"
            name="installmentCount"
            value="${count}"
            ${count === 1 && html`checked`}
          /><span>${label}</span></label
        >`,
    )}
    <p class="hint" id="installments-hint">${texts.installmentsHint}</p>
    <p class="fault" id="installmentCount-fault">${wrong && faultText(locale.language, wrong)}</p>
  </fieldset>`;
}

export function installmentChoices(
  checkout: CheckoutPage,
  counts: readonly number[],
  { language, locale }: BuyerLocale,
): { count: number; label: string }[] {
  const texts = PAGE_TEXTS[language];
  const total = BigInt(checkout.amountMinor);
  return counts.map((count) => {
    if (count === 1) return { count, label: texts.payAtOnce };
    const each = (total + BigInt(count) / 2n) / BigInt(count);
    const amount = amountOf({ ...checkout, amountMinor: each.toString() }, locale);
    const isExact = each * BigInt(count) === total;
    return {
      count,
      label: isExact ? texts.inInstallments(count, amount) : texts.inInstallmentsAbout(count, amount),
    };
  });
}

/** The bank has not answered, or wants something of the buyer first. */
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
export function renderClosed(shown: ShownCheckout, shopUrl: string): Html {
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
      <p>
        <a class="primary" href="${shopUrl}"
          >${paid ? texts.continueTo(merchantName) : texts.back(merchantName)}</a
        >
      </p>
    </section>`;
}

function closedTexts({ checkout, merchantName, locale }: ShownCheckout): [string, string] {
  const texts = PAGE_TEXTS[locale.language];
  switch (checkout.status) {
    case "COMPLETED":
      return [texts.completedHeading, texts.completedText(merchantName)];
    case "EXPIRED":
      return [texts.expiredHeading, texts.expiredText];
    case "CANCELLED":
      return checkout.attemptsLeft === 0
        ? [texts.exhaustedHeading, texts.exhaustedText]
        : [texts.cancelledHeading, texts.cancelledText];
    case "OPEN":
      throw new Error("an open checkout is not over");
    default:
      return checkout.status satisfies never;
  }
}

/** Nothing to show: no such checkout, or we cannot tell. */
export function renderNotice(heading: string, text: string, retry?: { path: string; label: string }): Html {
  return html`<section class="card closed">
    <span class="sign bad" aria-hidden="true">!</span>
    <h1 class="notice">${heading}</h1>
    <p>${text}</p>
    ${retry && html`<p><a class="primary" href="${retry.path}">${retry.label}</a></p>`}
  </section>`;
}

function amountOf({ amountMinor, currency }: CheckoutPage, locale: string): string {
  const exponent = currencyExponent(currency) ?? 0;
  return writeAmount(locale, formatAmount(BigInt(amountMinor), exponent) as `${number}`, currency, exponent);
}

/** Which faults a browser may be sent back with: those we have words for, and never what was typed. */
export function knownFaults(given: string): string[] {
  const fields: readonly string[] = [...FORM_FIELDS, "form"];
  return given
    .split(",")
    .filter((fault) => /^[a-zA-Z]+\.[a-z_]+$/.test(fault) && fields.includes(fault.split(".")[0]!))
    .slice(0, fields.length);
}
