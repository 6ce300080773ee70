import { LANGUAGES, type BuyerLocale } from "@holdfast/html";
import { html, type Html } from "@holdfast/html";
import { PAGE_TEXTS } from "./page-texts.ts";
import type { PageAssets } from "./page-assets.ts";
import { renderBrandStyle, renderLogo } from "./render-brand.ts";
import type { Branding } from "@holdfast/contracts";

/** The frame around every page's content. */
export type PageFrame = {
  assets: PageAssets;
  locale: BuyerLocale;
  /** The nonce of this response: browsers run no script and no style without it. */
  nonce: string;
  /** Path of this page, for the switch of languages. */
  path: string;
  /** Undefined if no checkout is known. */
  merchantName?: string | undefined;
  branding?: Branding | undefined;
  /** Says that no real card belongs here: the checkout is of test mode. */
  isTest?: boolean;
};

export type Onward = {
  /** True if a card is entered on this page: only then the page says how the card is used. */
  withCardForm?: boolean;
  /** The address that the browser moves on to: immediately without JavaScript, after a moment for reading with it. */
  onwardUrl?: string | undefined;
  refreshSeconds?: number;
};

/** The whole document. Nothing in it comes from anywhere but this server. */
export function renderPage(
  frame: PageFrame,
  content: Html,
  { onwardUrl, refreshSeconds, withCardForm = false }: Onward = {},
): string {
  const { assets, nonce, merchantName, branding } = frame;
  const { language } = frame.locale;
  const texts = PAGE_TEXTS[language];
  const title = merchantName === undefined ? texts.notFoundHeading : texts.title(merchantName);
  return `<!doctype html>\n${
    html`<html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex, nofollow" />
        <meta name="format-detection" content="telephone=no" />
        <title>${title}</title>
        <link
          rel="stylesheet"
          nonce="${nonce}"
          href="${assets.style.href}"
          integrity="${assets.style.integrity}"
        />
        ${branding && renderBrandStyle(branding, nonce)}
        <script
          type="module"
          nonce="${nonce}"
          src="${assets.script.href}"
          integrity="${assets.script.integrity}"
        ></script>
        ${onwardUrl && html`<noscript><meta http-equiv="refresh" content="0;url=${onwardUrl}" /></noscript>`}
        ${refreshSeconds && html`<noscript><meta http-equiv="refresh" content="${refreshSeconds}" /></noscript>`}
      </head>
      <body>
        ${frame.isTest && html`<aside class="test-mode">${texts.testMode}</aside>`} ${top(frame)}
        <main ${onwardUrl && html`data-onward="${onwardUrl}"`}>${content}</main>
        ${withCardForm && bottom(texts.secure)}
      </body>
    </html>`.text
  }\n`;
}

/** The merchant whose page it is, and the languages in which it can be read. */
function top({ locale: { language }, path, merchantName, branding }: PageFrame): Html {
  const logo = branding && renderLogo(branding);
  const texts = PAGE_TEXTS[language];
  return html`<header class="top">
    <p class="merchant">
      ${
        merchantName !== undefined &&
        html`${logo ?? html`<span class="monogram" aria-hidden="true">${monogram(merchantName, texts.locale)}</span>`}
          <span class="merchant-name">${merchantName}</span>`
      }
    </p>
    <nav class="languages" aria-label="${texts.switchLabel}">
      ${LANGUAGES.map(
        (other) =>
          html`<a
            href="${path}?lang=${other}"
            lang="${other}"
            hreflang="${other}"
            ${other === language && html`aria-current="true"`}
            >${PAGE_TEXTS[other].name}</a
          >`,
      )}
    </nav>
  </header>`;
}

function bottom(text: string): Html {
  return html`<footer class="bottom">
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path
        d="M8 1a3.5 3.5 0 0 0-3.5 3.5V7H4a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h8a1 1 0 0 0 1-1V8a1 1 0 0 0-1-1h-.5V4.5A3.5 3.5 0 0 0 8 1Zm2 6H6V4.5a2 2 0 1 1 4 0V7Z"
      />
    </svg>
    <span>${text}</span>
  </footer>`;
}

/** First letter, as a person would see it: not half of an emoji, and İ in Turkish. */
function monogram(name: string, locale: string): string {
  const [first] = new Intl.Segmenter(locale, { granularity: "grapheme" }).segment(name.trim());
  return (first?.segment ?? "").toLocaleUpperCase(locale);
}
