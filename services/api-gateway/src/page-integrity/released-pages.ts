/** The pages that this version may send, written by the same code as those that buyers get. */
import type { CheckoutPage, PaymentLinkPage } from "@holdfast/contracts";
import type { Html, Language } from "@holdfast/html";
import type { PageAssets } from "../public-pages/checkout/page-assets.ts";
import { DECLINE_REASONS, PAGE_TEXTS } from "../public-pages/checkout/page-texts.ts";
import { renderLink } from "../public-pages/checkout/payment-link-pages.ts";
import {
  amountOf,
  renderClosed,
  renderLinkState,
  renderNotice,
  renderWaiting,
  writeInUtc,
} from "../public-pages/checkout/render-checkout.ts";
import { installmentChoices, renderForm } from "../public-pages/checkout/render-form.ts";
import { renderPage, type Onward } from "../public-pages/checkout/render-page.ts";
import { htmlLines } from "./html-lines.ts";

/** A page as its lines, with a name in braces for each part that is not the same in every answer. */
export type ReleasedPage = { name: string; lines: string[] };

/** The parts of a page that are read from the answer: its mode, and how many installments its form offers. */
export type AskedPage = { assets: PageAssets; language: Language; installments: number; isTest: boolean };

/** Every page of a checkout and of a payment link, in each of its states. */
export function releasedPages(asked: AskedPage): ReleasedPage[] {
  const texts = PAGE_TEXTS[asked.language];
  const write = (name: string, content: Html, how?: Onward, merchantName = MERCHANT) => {
    const frame = { ...FRAME, ...asked, locale: localeOf(asked), ...(merchantName && { merchantName }) };
    return { name, lines: withNames(htmlLines(renderPage(frame, content, how)), asked) };
  };
  const shown = (change: Change) => ({
    ...FRAME,
    locale: localeOf(asked),
    merchantName: MERCHANT,
    checkout: { ...CHECKOUT, ...change } as CheckoutPage,
  });
  const form = { paymentId: "{paymentId}", token: "{token}" };
  const link = (status: PaymentLinkPage["status"]) => {
    const paymentLink = { ...CHECKOUT, paymentLinkId: "", status, description: "{order}" };
    return renderLink({ ...shown({}), link: paymentLink }, { ...form, begun: form.paymentId });
  };
  const installmentOptions = [1, ...Array.from({ length: asked.installments - 1 }, () => COUNT)];
  return [
    ...cross(ORDERS, RETURNS, ATTEMPTS, PRICES).map((change) =>
      write(
        "an open checkout",
        renderForm(shown({ ...change, installmentOptions }), { ...form, faults: [] }),
        { withCardForm: true },
      ),
    ),
    ...cross(ORDERS, [{}, { challengeUrl: "{challenge}" }]).map((change) =>
      write("a checkout under way", renderWaiting(shown(change)), { refreshSeconds: 5 }),
    ),
    ...cross(ORDERS, TAKEN).map((change) =>
      write("a checkout that cannot be paid", renderLinkState(shown(change), change.linkIs!)),
    ),
    ...cross(ORDERS, ENDED).flatMap((change) => [
      write("a checkout that is over", renderClosed(shown({ ...change, failureUrl: undefined }), undefined)),
      ...[undefined, "{shop}"].map((onwardUrl) =>
        write("a checkout that is over", renderClosed(shown(change), "{shop}"), { onwardUrl }),
      ),
    ]),
    ...LINKS.map((status) => write("a payment link", link(status))),
    write("a page that does not exist", renderNotice(texts.notFoundHeading, texts.notFoundText), {}, ""),
  ];
}

/** The lines with the names of their parts in the place of the sample's. */
function withNames(lines: string[], asked: AskedPage): string[] {
  const locale = localeOf(asked);
  const [choice] = installmentChoices(CHECKOUT, [{ count: COUNT, totalMinor: CHECKOUT.amountMinor }], locale);
  const names: [string, string][] = [
    [choice!.label, "{choice}"],
    [choice!.detail!, "{choiceDetail}"],
    [PAGE_TEXTS[asked.language].installmentsOfCard(COUNT), "{choice}"],
    [LAST4, "{last4}"],
    [`name="installmentCount" value="${COUNT}"`, 'name="installmentCount" value="{count}"'],
    [amountOf(CHECKOUT, locale.locale), "{amount}"],
    [writeInUtc(CHECKOUT.expiresAt, locale.locale), "{until}"],
    [CHECKOUT.expiresAt, "{expiresAt}"],
    [`data-locale="${locale.locale}"`, 'data-locale="{locale}"'],
    [String(MANY), "{count}"],
    [MERCHANT, "{merchant}"],
    [MERCHANT[0]!, "{initial}"],
  ];
  return lines.map((line) => names.reduce((text, [part, name]) => text.replaceAll(part, name), line));
}

const localeOf = ({ language }: AskedPage) => ({ language, locale: language });

/** Every choice from the first set with every one from the next. */
function cross(...sets: Change[][]): Change[] {
  return sets.reduce((all, set) => all.flatMap((one) => set.map((other) => ({ ...one, ...other }))));
}

/** An absent address is undefined here. */
type Change = { [Key in keyof CheckoutPage]?: CheckoutPage[Key] | undefined };

const FRAME = { nonce: "{nonce}", path: "{path}" };
const MERCHANT = "⁂ merchant";
const COUNT = 2;
const MANY = 986;
const LAST4 = "•••• 0975";
const CHECKOUT: CheckoutPage = {
  checkoutId: "00000000-0000-7000-8000-000000000000",
  merchantId: "00000000-0000-7000-8000-000000000000",
  status: "OPEN",
  orderId: "{order}",
  amountMinor: "123456789",
  currency: "TRY",
  installmentOptions: [1],
  failureUrl: "{shop}",
  expiresAt: "2031-05-06T07:08:09.000Z",
  attemptsLeft: MANY,
};
const PAID = { paymentId: "{paymentId}", pan: "411111******0975", paymentDate: CHECKOUT.expiresAt };
const ORDERS: Change[] = [{}, { description: "{order}" }];
const PRICES: Change[] = [{}, { installmentPrices: true }];
const RETURNS: Change[] = [{}, { failureUrl: undefined }];
const ATTEMPTS: Change[] = [
  {},
  ...DECLINE_REASONS.flatMap((resultCode) =>
    [1, MANY].map((attemptsLeft) => ({ attemptsLeft, payment: { resultCode } as CheckoutPage["payment"] })),
  ),
];
const TAKEN: Change[] = [{ linkIs: "TAKEN" }, { linkIs: "USED" }, { linkIs: "DISABLED" }];
const ENDED: Change[] = [
  { status: "COMPLETED" },
  { status: "COMPLETED", payment: PAID as CheckoutPage["payment"] },
  { status: "EXPIRED" },
  { status: "CANCELLED" },
  { status: "CANCELLED", attemptsLeft: 0 },
];
const LINKS: PaymentLinkPage["status"][] = ["ACTIVE", "USED", "TAKEN", "EXPIRED", "DISABLED"];
