import { installmentAmounts, type CheckoutPage } from "@holdfast/contracts";
import { html, type BuyerLocale, type Html } from "@holdfast/html";
import { declineText, FAULT_TEXTS, faultText, PAGE_TEXTS } from "./page-texts.ts";
import { FORM_FIELDS, type FormField } from "./read-card-form.ts";
import { amountOf, summary, type ShownCheckout } from "./render-checkout.ts";

export type FormState = {
  paymentId: string;
  token: string;
  /** Faults of an earlier form, from a browser without JavaScript. */
  faults: readonly string[];
  /** The present total of the installments that an earlier form chose, if that form had another one. */
  priced?: InstallmentOffer | undefined;
};

/** The card form of an open checkout, with the result of the card before this one. */
// oxlint-disable-next-line max-lines-per-function -- one form, from top to bottom
export function renderForm(shown: ShownCheckout, { paymentId, token, faults, priced }: FormState): Html {
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
  // A page with a form has no payment under way: one that exists has failed.
  const failed = checkout.payment !== undefined;
  const formFault = fault("form");
  // With installments of different totals, one amount on the button would differ from the charged one.
  const pay = checkout.installmentPrices ? texts.payChosen : texts.pay(amountOf(checkout, locale.locale));

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
          pay,
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
        ${installments(shown, priced, fault("installmentCount"))}
        <button id="pay" type="submit" class="primary">${pay}</button>
        <p id="status" class="status" role="status"></p>
      </form>
      <form method="post" action="${path}/cancel?lang=${language}" class="cancel">
        <input type="hidden" name="paymentId" value="${paymentId}" />
        <input type="hidden" name="token" value="${token}" />
        <button type="submit" class="plain">
          ${checkout.failureUrl === undefined ? texts.cancelHere : texts.cancel(merchantName)}
        </button>
      </form>
    </section>`;
}

/** Why there is a form again, although one was submitted. */
function declined({ checkout, locale: { language } }: ShownCheckout, formFault: string | undefined): Html {
  const texts = PAGE_TEXTS[language];
  if (formFault !== undefined) return html`<p>${faultText(language, formFault)}</p>`;
  return html`<p class="alert-heading">${texts.declinedHeading}</p>
    <p>
      ${declineText(language, checkout.payment?.resultCode)} ${texts.notCharged}
      ${texts.attemptsLeft(checkout.attemptsLeft)}
    </p>`;
}

/** Without JavaScript all options of the checkout; with it the card's options, once its number is typed. */
function installments(
  { checkout, locale }: ShownCheckout,
  priced: InstallmentOffer | undefined,
  wrong: string | undefined,
): Html | false {
  if (checkout.installmentOptions.length < 2) return false;
  const texts = PAGE_TEXTS[locale.language];
  const isChosen = (count: number) => count === (priced?.count ?? 1);
  return html`<fieldset id="installments" aria-describedby="installmentCount-fault installments-hint">
    <legend>${texts.installments}</legend>
    ${choicesOfPage(checkout, priced, locale).map(
      ({ count, value, label, detail }) =>
        html`<label class="choice"
          ><input
            type="radio"
            name="installmentCount"
            value="${value}"
            ${isChosen(count) && html`checked`}
          /><span>${label}</span>${detail !== undefined && html`<span class="detail">${detail}</span>`}</label
        >`,
    )}
    <p class="hint" id="installments-hint">${texts.installmentsHint}</p>
    <p class="fault" id="installmentCount-fault">${wrong && faultText(locale.language, wrong)}</p>
  </fieldset>`;
}

/** The choices before the card is known. Where buyers pay for installments, their totals depend on the card. */
function choicesOfPage(
  checkout: CheckoutPage,
  priced: InstallmentOffer | undefined,
  locale: BuyerLocale,
): InstallmentChoice[] {
  const { installmentOptions, amountMinor: totalMinor, installmentPrices } = checkout;
  const texts = PAGE_TEXTS[locale.language];
  return installmentOptions.flatMap((count) => {
    if (!installmentPrices || count === 1)
      return installmentChoices(checkout, [{ count, totalMinor }], locale);
    if (count === priced?.count) return installmentChoices(checkout, [priced], locale);
    return { count, value: `${count}`, label: texts.installmentsOfCard(count) };
  });
}

/** A number of installments, and what the card is charged in all. */
export type InstallmentOffer = { count: number; totalMinor: string };

/**
 * An offered number of installments: the amount of one, and in small type the total. If the buyer pays for
 * installments, the form's value includes the total, so that no other total is charged than was shown.
 */
export type InstallmentChoice = { count: number; value: string; label: string; detail?: string };

/** The offered numbers of installments, each with what it costs to the last minor unit. */
export function installmentChoices(
  checkout: CheckoutPage,
  offers: readonly InstallmentOffer[],
  { language, locale }: BuyerLocale,
): InstallmentChoice[] {
  const texts = PAGE_TEXTS[language];
  const write = (minor: bigint) => amountOf({ ...checkout, amountMinor: minor.toString() }, locale);
  return offers.flatMap(({ count, totalMinor }) => {
    if (count === 1) return { count, value: "1", label: texts.payInFull };
    const total = BigInt(totalMinor);
    const value = checkout.installmentPrices ? `${count}:${totalMinor}` : `${count}`;
    const amounts = installmentAmounts(total, count);
    if (!amounts) return [];
    const [first, further, all] = [write(amounts.firstMinor), write(amounts.furtherMinor), write(total)];
    const detail = first === further ? texts.inTotal(all) : texts.inTotalAfter(first, all);
    return { count, value, label: texts.inInstallments(count, further), detail };
  });
}

/** The part of an address with the total of the chosen installments, for a page without JavaScript. */
export function pricedQuery(priced: InstallmentOffer | undefined): string {
  return priced ? `&price=${priced.count}:${priced.totalMinor}` : "";
}

/** Reads the offer from the query. A forged total is only shown: a payment is compared with the present total. */
export function pricedOf(query: URLSearchParams): InstallmentOffer | undefined {
  const [, count, totalMinor] = /^([2-9]|1[0-2]):(\d{1,14})$/.exec(query.get("price") ?? "") ?? [];
  return count !== undefined && totalMinor !== undefined ? { count: Number(count), totalMinor } : undefined;
}

/** The faults in the address of a page without JavaScript. Only those with a text are shown, and never what was typed. */
export function faultsOf(query: URLSearchParams): string[] {
  return (query.get("faults") ?? "").split(",", FORM_FIELDS.length);
}
