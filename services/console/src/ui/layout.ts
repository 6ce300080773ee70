import { html, LANGUAGES, type Html, type Language } from "@holdfast/html";
import { SCRIPT, STYLE } from "./assets.ts";
import { breakable } from "./format.ts";
import { withoutNotice, type Notice, type Reader } from "./page-context.ts";
import { TEXTS } from "./texts.ts";

export type Frame = {
  reader: Reader;
  /** The page's own path, for the navigation. */
  path: string;
  /** The page's query, such as filters: a switch of languages keeps it. */
  query?: URLSearchParams;
  /** The mode of the page's lists and searches; live by default. */
  isLive?: boolean;
  /** The person with their merchant if they are its staff; undefined if nobody is signed in. */
  person: { subject: string; merchantId?: string | undefined; formToken: string } | undefined;
  searchText?: string | undefined;
};

export type Content = {
  title: string;
  content: Html;
  notice?: Notice | undefined;
  /** True for a page about what was made in test mode. */
  isTest?: boolean | undefined;
};

/** The whole document. Nothing in it comes from anywhere but this server. */
export function renderPage(frame: Frame, { title, content, notice, isTest }: Content): string {
  return `<!doctype html>\n${
    html`<html lang="${frame.reader.language}" data-locale="${frame.reader.locale}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex, nofollow" />
        <meta name="format-detection" content="telephone=no" />
        <title>${title} · Holdfast</title>
        <link rel="stylesheet" href="${STYLE.path}" />
        <script type="module" src="${SCRIPT.path}"></script>
      </head>
      <body>
        <a class="skip" href="#content">${frame.reader.texts.skip}</a>
        ${header(frame, isTest)}
        <main id="content" tabindex="-1">
          ${isTest === true && html`<p class="ribbon">${frame.reader.texts.testRibbon}</p>`}
          <h1>${breakable(title)}</h1>
          ${notice && renderNotice(notice)} ${content}
        </main>
      </body>
    </html>`.text
  }\n`;
}

function renderNotice({ role, title, text, link }: Notice): Html {
  const name = role === "status" ? "done" : "alert";
  return html`<div class="${name}" role="${role}" ${role === "alert" && html`tabindex="-1"`}>
    <p><strong>${title}</strong></p>
    ${text !== undefined && html`<p>${text}</p>`} ${link && html`<p>${link}</p>`}
  </div>`;
}

function header(frame: Frame, isTest: boolean | undefined): Html {
  const { reader, path, query, person, searchText } = frame;
  const { texts } = reader;
  return html`<header class="top">
    <div class="bar">
      <a class="brand" href="/">Holdfast</a>
      ${
        person &&
        html`<form class="find" role="search" action="/search">
          <label class="visually-hidden" for="q">${texts.search}</label>
          <input
            type="search"
            id="q"
            name="q"
            maxlength="128"
            placeholder="${texts.searchHint}"
            value="${searchText ?? ""}"
          />
          <button>${texts.search}</button>
        </form>`
      }
      <div class="who">
        ${person && modes(frame, isTest)} ${languages(reader, path, query)}
        ${
          person &&
          html`<span><span class="visually-hidden">${texts.signedInAs}</span> ${person.subject}</span>
            <form method="post" action="/logout">
              <input type="hidden" name="formToken" value="${person.formToken}" />
              <button>${texts.logOut}</button>
            </form>`
        }
      </div>
    </div>
    ${person && html`<div class="bar">${navigation(reader, path, person.merchantId)}</div>`}
  </header>`;
}

function navigation({ texts }: Reader, path: string, merchantId: string | undefined): Html {
  const places = [
    ["/", texts.overview],
    ["/payments", texts.payments],
    ["/refunds", texts.refunds],
    ["/disputes", texts.disputes],
    ...(merchantId === undefined
      ? ([
          ["/unresolved", texts.unresolved],
          ["/deliveries", texts.deliveries],
          ["/merchants", texts.merchants],
          ["/accounts", texts.accounts],
          ["/settlement", texts.settlement],
          ["/audit", texts.audit],
        ] as const)
      : ([
          ["/deliveries", texts.deliveries],
          ["/payment-links", texts.paymentLinks],
          ["/settlement", texts.statements],
          [`/merchants/${merchantId}`, texts.keysAndWebhooks],
        ] as const)),
  ] as const;
  return html`<nav aria-label="${texts.main}">
    <ul>
      ${places.map(
        ([href, text]) =>
          html`<li>
            <a href="${href}" ${isWithin(path, href) && html`aria-current="page"`}>${text}</a>
          </li>`,
      )}
    </ul>
  </nav>`;
}

function isWithin(path: string, place: string): boolean {
  return path === place || (place !== "/" && path.startsWith(`${place}/`));
}

/**
 * The switch between live and test. The page of a single record has the record's mode, so from there the
 * switch leads to the list of such records. A merchant has both modes, and its page stays.
 */
function modes({ reader: { texts }, path, query, isLive = true }: Frame, isTest: boolean | undefined): Html {
  const isList = isTest === undefined || path.split("/").length === 2 || isWithin(path, "/merchants");
  const modeLink = (livemode: boolean, text: string) => {
    const asked = isList ? withoutNotice(query) : new URLSearchParams();
    const cursors = [...asked.keys()].filter((name) => /cursor(Trail)?$/i.test(name));
    for (const name of cursors) asked.delete(name);
    asked.set("livemode", `${livemode}`);
    const to = isList ? path : `/${path.split("/")[1]}`;
    return html`<a href="${to}?${asked.toString()}" ${livemode === isLive && html`aria-current="true"`}
      >${text}</a
    >`;
  };
  return html`<span class="modes" aria-label="${texts.mode}" role="group"
    >${modeLink(true, texts.live)}${modeLink(false, texts.test)}</span
  >`;
}

function languages({ language, texts }: Reader, path: string, query?: URLSearchParams): Html {
  const others = LANGUAGES.filter((other) => other !== language);
  const pageIn = (other: Language) => {
    const asked = withoutNotice(query);
    asked.set("lang", other);
    return `${path}?${asked.toString()}`;
  };
  return html`<span aria-label="${texts.languages}" role="group"
    >${others.map(
      (other) =>
        html`<a href="${pageIn(other)}" lang="${other}" hreflang="${other}">${TEXTS[other].name}</a>`,
    )}</span
  >`;
}
