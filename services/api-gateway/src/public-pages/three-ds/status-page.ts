import { createHash } from "node:crypto";
import type { Exchange } from "../../http/exchange.ts";
import type { ApiPaymentResponse } from "@holdfast/contracts";
import { escapeHtml, LANGUAGES, type BuyerLocale, type Language } from "@holdfast/html";
import { PAGE_TEXTS as FRAME_TEXTS } from "../checkout/page-texts.ts";
import { chargedBy } from "../checkout/render-checkout.ts";
import { FRAMED_BY, REPORTED_TO } from "./challenge-form.ts";

/** The messages of these pages. None of them says how a payment ended: the shop does. */
export type Notice = "waiting" | "invalid" | "expired" | "unavailable" | "unproven" | "reload";

export const PAGE_TEXTS = {
  en: {
    continue: "Continue to your bank",
    sendAgain: "Try again",
    waiting: [
      "One moment, please",
      "We are waiting for your bank's answer. This page updates automatically; please do not pay again.",
    ],
    invalid: ["This link is not valid", "Please return to the shop and check your order there."],
    expired: ["This link has expired", "Please return to the shop and check your order there."],
    unavailable: [
      "One moment, please",
      "The service is temporarily unavailable. This page tries again automatically; please do not pay again.",
    ],
    unproven: [
      "Your bank's answer could not be confirmed",
      "Nothing has been charged. Please complete the verification at your bank, or check your order at the shop.",
    ],
    reload: [
      "One moment, please",
      "The service is temporarily unavailable. Please reload this page in a minute, and do not pay again.",
    ],
  },
  tr: {
    continue: "Bankanızın sayfasına git",
    sendAgain: "Yeniden dene",
    waiting: [
      "Lütfen bekleyin",
      "Bankanızın yanıtı bekleniyor. Bu sayfa otomatik olarak güncellenir; lütfen yeniden ödeme yapmayın.",
    ],
    invalid: [
      "Bu bağlantı geçerli değil",
      "Lütfen işletmenin sitesine dönüp siparişinizi oradan kontrol edin.",
    ],
    expired: [
      "Bu bağlantının süresi doldu",
      "Lütfen işletmenin sitesine dönüp siparişinizi oradan kontrol edin.",
    ],
    unavailable: [
      "Lütfen bekleyin",
      "Hizmet geçici olarak kullanılamıyor. Bu sayfa otomatik olarak yeniden dener; lütfen yeniden ödeme yapmayın.",
    ],
    unproven: [
      "Bankanızın yanıtı doğrulanamadı",
      "Kartınızdan para çekilmedi. Lütfen doğrulamayı bankanızda tamamlayın veya siparişinizi işletmenin sitesinden kontrol edin.",
    ],
    reload: [
      "Lütfen bekleyin",
      "Hizmet geçici olarak kullanılamıyor. Lütfen bir dakika sonra bu sayfayı yenileyin ve yeniden ödeme yapmayın.",
    ],
  },
} as const satisfies Record<
  Language,
  { continue: string; sendAgain: string } & Record<Notice, readonly [string, string]>
>;

/** The buyer's order, so that a page says who is paid, and how much. */
export type PaidOrder = {
  payment: Pick<ApiPaymentResponse, "amount" | "installmentTotal" | "currency" | "livemode">;
  /** The name that the buyer knows. */
  merchantName: string;
};

export type NoticeFrame = {
  locale: BuyerLocale;
  /** Absent if it is not known. */
  order?: PaidOrder | undefined;
  /** The address under which this page can be read in another language. */
  switchPath?: string | undefined;
};

type NextStep = { refreshUrl?: string; refreshS?: number; challengeUrl?: string | undefined };

/**
 * A page without a script, an image or an input.
 * @param refreshUrl the address that the browser asks again by itself; "" is its present address, with its
 * query.
 * @param refreshS the seconds until then.
 * @param challengeUrl our page that leads to the challenge, as a link.
 */
export function answerNotice(
  exchange: Exchange,
  status: number,
  notice: Notice,
  { refreshUrl, refreshS = REFRESH_S, challengeUrl, ...frame }: NoticeFrame & NextStep,
): void {
  const { language } = frame.locale;
  const link =
    challengeUrl === undefined
      ? ""
      : `\n<p><a href="${escapeHtml(challengeUrl)}">${escapeHtml(PAGE_TEXTS[language].continue)}</a></p>`;
  exchange.answer(
    status,
    {
      ...PAGE_HEADERS,
      "Content-Security-Policy": `default-src 'none'; ${NOTICE_STYLE}; form-action 'none'; base-uri 'none'; ${FRAMED_BY}; ${REPORTED_TO}`,
      ...(refreshUrl !== undefined && {
        Refresh: refreshUrl === "" ? String(refreshS) : `${refreshS}; url=${refreshUrl}`,
      }),
      ...((status === 503 || status === 429) && { "Retry-After": String(refreshS) }),
    },
    noticePage(notice, frame, link),
  );
}

/** The document of a page with a notice. @param further HTML below its text. */
export function noticePage(notice: Notice, frame: NoticeFrame, further: string, script = ""): string {
  const { language } = frame.locale;
  const [heading, text] = PAGE_TEXTS[language][notice];
  return `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(heading)}</title><style>${STYLE}</style></head>
<body>${head(frame)}
<main>
<h1>${escapeHtml(heading)}</h1>
<p role="status">${escapeHtml(text)}</p>${further}
</main>${script === "" ? "" : `\n<script>${script}</script>`}
</body>
</html>
`;
}

/** The shop and the amount, and the languages in which the page can be read. */
function head({ locale, order, switchPath }: NoticeFrame): string {
  const texts = FRAME_TEXTS[locale.language];
  const ribbon = order?.payment.livemode === false ? `<aside>${escapeHtml(texts.testMode)}</aside>` : "";
  const shop = order
    ? `<p>${escapeHtml(order.merchantName)}<br><strong>${escapeHtml(chargedBy(order.payment, locale.locale))}</strong></p>`
    : "";
  const links = LANGUAGES.map(
    (other) =>
      `<a href="${escapeHtml(`${switchPath}?lang=${other}`)}" lang="${other}" hreflang="${other}"${other === locale.language ? ' aria-current="true"' : ""}>${FRAME_TEXTS[other].name}</a>`,
  );
  const nav =
    switchPath === undefined ? "" : `<nav aria-label="${texts.switchLabel}">${links.join(" ")}</nav>`;
  return shop === "" && nav === "" ? "" : `\n${ribbon}<header>${shop}${nav}</header>`;
}

/** The style of the hosted page, for light and dark screens. */
const STYLE = `
:root { color-scheme: light dark; font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans",
  "DejaVu Sans", sans-serif; line-height: 1.5; color: #16212e; background: #f4f6f8; }
body { margin: 0; padding: 1.25rem; }
main { max-width: 26rem; margin: 2rem auto; padding: 1.5rem; border-radius: 1rem; background: #ffffff; text-align: center; }
h1 { margin: 0 0 0.75rem; font-size: 1.25rem; line-height: 1.3; }
p { margin: 0; }
p + p, form { margin-top: 1.25rem; }
a { color: #0a5f5b; font-weight: 600; }
header { display: flex; justify-content: space-between; gap: 1rem; max-width: 26rem; margin: 0 auto; }
header p { min-width: 0; overflow-wrap: anywhere; }
nav { flex: none; }
nav a { padding: 0.25rem 0.4rem; }
nav [aria-current] { color: inherit; text-decoration: none; }
aside { max-width: 26rem; margin: 0 auto 1.25rem; color: #8f1d1d; font-weight: 600; text-align: center; }
@media (prefers-color-scheme: dark) { :root { color: #e6ebf0; background: #10171e; } main { background: #18212b; }
  a { color: #8adbd5; } aside { color: #ffb4ab; } }
`;

/** The part of a page's policy that allows the one style by its digest. */
export const NOTICE_STYLE = `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`;

export const REFRESH_S = 3;

/** These addresses must not reach another site: whoever knows one has the session. */
const PRIVACY_HEADERS = { "Referrer-Policy": "no-referrer" };
export const REDIRECT_HEADERS = { "Content-Type": "text/plain; charset=utf-8", ...PRIVACY_HEADERS };
export const PAGE_HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  Vary: "Accept-Language",
  ...PRIVACY_HEADERS,
};
