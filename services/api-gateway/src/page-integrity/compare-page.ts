import { createHash } from "node:crypto";
import type { Language } from "@holdfast/html";
import { loadPageAssets } from "../public-pages/checkout/page-assets.ts";
import { PAGE_TEXTS } from "../public-pages/checkout/page-texts.ts";
import { withoutBranding } from "../public-pages/checkout/render-brand.ts";
import { changedLines, countSame, type IsSame } from "./compare-lines.ts";
import { htmlLines } from "./html-lines.ts";
import type { PageRelease, ReleasedAsset } from "./page-release.ts";
import { releasedPages, type ReleasedPage } from "./released-pages.ts";

/** A received answer; names of headers are in lower case. */
export type Received = { url: string; headers: Record<string, string>; body: string };

/** A difference from the release, for people to read. */
export type Difference = { what: string; released: string | undefined; received: string | undefined };

/** The page that the answer is most like, and all in which it differs. */
export type Compared = { page: string; differences: Difference[] };

type Options = {
  /** The language that was asked for. */
  language?: Language;
  /** Headers that a proxy in front may add. */
  allowedHeaders?: readonly string[];
  /** The origins of shops to which a page may lead. */
  shops?: readonly string[];
};

/**
 * Compares a checkout's page with the released pages of every state, also for a checkout that does not exist.
 * Every tag with its attributes and every text must be where one released page has it.
 */
export function comparePage(page: Received, release: PageRelease, options: Options = {}): Compared {
  const base = baseOf(page.url);
  const { origin, pathname } = new URL(page.url);
  const nonce = /'nonce-([A-Za-z0-9+/]{22}==)'/.exec(page.headers["content-security-policy"] ?? "")?.[1];
  const fill = (text: string) => text.replaceAll("{base}", base).replaceAll("{nonce}", nonce ?? "{nonce}");
  const lines = htmlLines(withoutBranding(page.body, nonce));
  const asked = {
    assets: loadPageAssets(origin + base),
    language: options.language ?? "en",
    installments: Math.min(lines.filter((line) => line === '<label class="choice">').length, 24) || 1,
    isTest: lines.includes('<aside class="test-mode">'),
  } as const;
  const parts = {
    nonce: exactly(nonce),
    path: exactly(pathname),
    challenge: `${RegExp.escape(`${origin}${base}/`)}[\\w/.?=&;-]+`,
    shop: `(?:${(options.shops ?? []).map((shop) => RegExp.escape(shop)).join("|") || "(?!)"})[/?][^"<>\\s]*`,
    ...choicePatterns(asked.language),
    ...PARTS,
  };
  const expected = { ...release.headers, ...transport(page.url) };
  const compared = compareLines(releasedPages(asked), lines, parts);
  const headers = compareHeaders("", expected, page.headers, fill, options);
  return { ...compared, differences: [...headers, ...compared.differences] };
}

type Parts = Readonly<Record<string, string>>;

/** Compares with the page that it is most like. */
function compareLines(pages: ReleasedPage[], received: string[], parts: Parts): Compared {
  const best = pages
    .map((page) => ({ page, same: countSame(page.lines, received, sameLine(parts)) }))
    .reduce((most, each) => (each.same > most.same ? each : most)).page;
  const write = (lines: string[]) => (lines.length === 0 ? undefined : lines.join(" ").slice(0, SHOWN_MAX));
  const changes = changedLines(best.lines, received, sameLine(parts));
  return {
    page: best.name,
    differences: changes.map((change) => ({
      what: best.name,
      released: write(change.released),
      received: write(change.received),
    })),
  };
}

const SHOWN_MAX = 1_000;

/** True if a line is the released one; a part that a page has several times has to be the same each time. */
function sameLine(parts: Parts): IsSame {
  const bound = new Map<string, string>();
  return (released, received) => {
    const pieces = released.split(/\{([a-zA-Z]+)\}/);
    if (pieces.length === 1) return released === received;
    const names = pieces.filter((_piece, index) => index % 2 === 1);
    const pattern = pieces.map((piece, index) =>
      index % 2 === 1 ? `(${parts[piece]})` : RegExp.escape(piece),
    );
    const found = new RegExp(`^${pattern.join("")}$`, "u").exec(received);
    if (!found) return false;
    const isBound = names.every(
      (name, index) => !ONE.has(name) || (bound.get(name) ?? found[index + 1]) === found[index + 1],
    );
    if (isBound) names.forEach((name, index) => bound.set(name, found[index + 1]!));
    return isBound;
  };
}

/** The parts that are the same wherever they stand on a page. */
const ONE: ReadonlySet<string> = new Set(["merchant", "amount", "paymentId", "token", "expiresAt", "shop"]);

const TEXT = '[^<>"]{1,3000}';
const MONEY = "[\\p{L}\\p{Sc}\\p{Zs}\\d.,\u2019'-]{1,40}";
const PARTS: Parts = {
  merchant: TEXT,
  initial: '[^<>"]{0,40}',
  order: TEXT,
  amount: MONEY,
  until: '[^<>"]{1,80}',
  expiresAt: "\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(?:\\.\\d{1,6})?Z",
  locale: "[A-Za-z0-9-]{2,40}",
  count: "\\d{1,3}",
  last4: "•••• \\d{4}",
  paymentId: "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
  token: "[\\w-]{20,100}",
};

function exactly(text: string | undefined): string {
  return text === undefined ? "(?!)" : RegExp.escape(text);
}

/** The texts of a choice of installments, with any numbers. */
function choicePatterns(language: Language): Parts {
  const texts = PAGE_TEXTS[language];
  const pattern = (text: string) =>
    text
      .split(/(\d|\0)/)
      .map((piece) => (piece === "\0" ? MONEY : /^\d$/.test(piece) ? "\\d{1,2}" : RegExp.escape(piece)))
      .join("");
  const details = [texts.inTotal("\0"), texts.inTotalAfter("\0", "\0")];
  return {
    choice: `(?:${[texts.inInstallments(2, "\0"), texts.installmentsOfCard(2)].map(pattern).join("|")})`,
    choiceDetail: `(?:${details.map(pattern).join("|")})`,
  };
}

/** Compares a file that the page loads. */
export function compareAsset(file: Received, released: ReleasedAsset, options: Options = {}): Difference[] {
  const sha256 = createHash("sha256").update(file.body).digest("hex");
  const expected = { ...released.headers, ...transport(file.url) };
  // A header for pages. Files have it, too, since every answer of the listener does.
  const { "reporting-endpoints": _endpoints, ...headers } = file.headers;
  return [
    ...(sha256 === released.sha256
      ? []
      : [{ what: `SHA-256 of ${released.path}`, released: released.sha256, received: sha256 }]),
    ...compareHeaders(` of ${released.path}`, expected, headers, (text) => text, options),
  ];
}

/** The path that the pages are under, mostly none. */
export function baseOf(url: string): string {
  const { pathname } = new URL(url);
  return pathname.slice(0, Math.max(pathname.lastIndexOf("/checkout/"), 0));
}

function transport(url: string): Record<string, string> {
  return url.startsWith("https:") ? { "strict-transport-security": "max-age=31536000" } : {};
}

/**
 * Headers that depend on the connection or the single answer. Any other additional header was added on the
 * way.
 */
const OF_THE_ANSWER = [
  "connection",
  "content-encoding",
  "content-length",
  "date",
  "keep-alive",
  "retry-after",
  // Means nothing without TLS.
  "strict-transport-security",
  "transfer-encoding",
  "vary",
  "x-request-id",
];

function compareHeaders(
  ofWhat: string,
  released: Record<string, string>,
  received: Record<string, string>,
  fill: (text: string) => string,
  { allowedHeaders = [] }: Options,
): Difference[] {
  const passedOver = new Set([...OF_THE_ANSWER, ...allowedHeaders.map((name) => name.toLowerCase())]);
  const names = new Set([...Object.keys(released), ...Object.keys(received)]);
  return [...names]
    .filter((name) => !passedOver.has(name) || released[name] !== undefined)
    .map((name) => ({
      what: `header ${name}${ofWhat}`,
      released: released[name] && fill(released[name]),
      received: received[name],
    }))
    .filter((each) => each.released !== each.received);
}
