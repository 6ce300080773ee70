import { createHash } from "node:crypto";
import { withoutBrandStyle } from "../public-pages/checkout/render-brand.ts";
import { activeTags } from "./active-tags.ts";
import type { PageRelease, ReleasedAsset } from "./page-release.ts";

/** An answer as it was received; names of headers in lower case. */
export type Received = { url: string; headers: Record<string, string>; body: string };

/** Something that is not as it was released, for people to read. */
export type Difference = { what: string; released: string | undefined; received: string | undefined };

type Options = {
  /** Headers that a proxy in front adds and that are none of ours. */
  allowedHeaders?: readonly string[];
};

/** Compares a checkout's page with the released one, in any state of the checkout, and also where there is none. */
export function comparePage(page: Received, release: PageRelease, options: Options = {}): Difference[] {
  const base = baseOf(page.url);
  const nonce = /'nonce-([A-Za-z0-9+/]{22}==)'/.exec(page.headers["content-security-policy"] ?? "")?.[1];
  const fill = (text: string) => text.replaceAll("{base}", base).replaceAll("{nonce}", nonce ?? "{nonce}");
  const expected = { ...release.headers, ...transport(page.url) };
  const tags = activeTags(withoutBrandStyle(page.body, nonce));
  const onward = wayOnward(page.body);
  const released = [...release.tags.map(fill), ...(onward === undefined ? [] : [reloadTo(onward)])];
  return [
    ...compareHeaders("", expected, page.headers, fill, options),
    ...compareLists(released, tags),
    ...formsElsewhere(page.body, `${base}/checkout/`),
    ...waysElsewhere(page.body, onward),
  ];
}

/**
 * The address to which the page sends a buyer by itself: back to the shop, from a page without a form. Such an address
 * on a page that takes a card, or a second one, is not ours.
 * @returns the address as it stands in the document; whether it is the shop's is for people to see.
 */
export function wayOnward(page: string): string | undefined {
  const addresses = [...page.matchAll(ONWARD)]
    .filter(({ 0: tag, index }) => page.startsWith('">', index + tag.length))
    .map(([, address]) => address!);
  if (addresses.length !== 1 || /<form/i.test(page)) return undefined;
  return addresses[0];
}

/** The address as `renderPage` writes it: the page's script goes there, and without a script the reload does. */
const ONWARD = /<main data-onward="(https?:\/\/[^"<>]+)/gi;

function reloadTo(address: string): string {
  return `meta http-equiv="refresh" content="0;url=${address}" /`;
}

/** The script goes wherever the first `data-onward` says. */
function waysElsewhere(page: string, onward: string | undefined): Difference[] {
  const found = page.match(/data-onward/gi)?.length ?? 0;
  if (found === (onward === undefined ? 0 : 1)) return [];
  return [{ what: "a way onward", released: undefined, received: `${found} × data-onward` }];
}

/** Compares a file that the page loads. */
export function compareAsset(file: Received, released: ReleasedAsset, options: Options = {}): Difference[] {
  const sha256 = createHash("sha256").update(file.body).digest("hex");
  const expected = { ...released.headers, ...transport(file.url) };
  // The pages' own; files have it, too, since everything on the listener does.
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

/** Headers of the connection and the single answer. Any others were added to those that we sent. */
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

function compareLists(released: string[], received: string[]): Difference[] {
  const missing = released.filter((tag) => !received.includes(tag));
  const added = received.filter((tag, index) => !released.includes(tag) || received.indexOf(tag) < index);
  return [
    ...missing.map((tag) => ({ what: "tag", released: `<${tag}>`, received: undefined })),
    ...added.map((tag) => ({ what: "tag", released: undefined, received: `<${tag}>` })),
  ];
}

/** A form without an action, or with one of another place, would take the card there. */
function formsElsewhere(page: string, ownPath: string): Difference[] {
  return page
    .split(/<form/i)
    .slice(1)
    .map((form) => form.split('action="', 2)[1]?.split('"', 1)[0])
    .filter((action) => action?.startsWith(ownPath) !== true)
    .map((action) => ({ what: "a form's action", released: `${ownPath}…`, received: action ?? "none" }));
}
