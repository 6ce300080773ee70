/**
 * The buyer's browser, in small: it opens pages, fills in forms, sends them and follows redirects, as a browser without
 * JavaScript does. It stops where a shop's own page would begin.
 */
import { DemoError } from "./demo-error.ts";

type Page = { url: string; html: string };
type Print = (text: string) => void;

/** Goes from the checkout's page through the bank's challenge to the page that says that it is paid. */
export async function payAsBuyer(checkoutUrl: string, pan: string, print: Print): Promise<void> {
  const checkout = await open(checkoutUrl, print);
  const expiry = `12 / ${(new Date().getUTCFullYear() + 2) % 100}`;
  const card = { pan, cardHolderName: "Ada Lovelace", expiry, cvv: "123", installmentCount: "3" };
  print("buyer enters a card, chooses three installments and pays\n");
  const wayToBank = await submit(checkout, "card-form", card, print);
  const challenge = await submit(wayToBank, "challenge", {}, print);
  print("buyer enters the bank's code\n");
  const wayBack = await submit(challenge, undefined, { code: "123456", answer: "submit" }, print);
  const end = await submit(wayBack, undefined, {}, print);
  const onward = /<noscript><meta http-equiv="refresh" content="0;url=([^"]+)"/.exec(end.html)?.[1];
  if (onward === undefined) throw new DemoError("the page does not lead back to the shop");
  print(`buyer is sent to ${unescape(onward)}\n`);
}

async function open(url: string, print: Print): Promise<Page> {
  return await follow(url, { method: "GET" }, print);
}

/** Sends a form of a page, with its hidden fields, by its id or, without one, the page's only form. */
async function submit(
  page: Page,
  id: string | undefined,
  filled: Record<string, string>,
  print: Print,
): Promise<Page> {
  const forms = [...page.html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)];
  const form = forms.find(([, attributes = ""]) => id === undefined || attribute(attributes, "id") === id);
  if (!form) throw new DemoError(`${page.url} has no form ${id ?? ""}`);
  const [, attributes = "", content = ""] = form;
  const hidden = [...content.matchAll(/<input\b([^>]*type="hidden"[^>]*)>/gs)].map(
    ([, input = ""]): [string, string] => [attribute(input, "name") ?? "", attribute(input, "value") ?? ""],
  );
  const body = new URLSearchParams({ ...Object.fromEntries(hidden), ...filled });
  const url = new URL(attribute(attributes, "action") ?? "", page.url).href;
  return await follow(url, { method: "POST", body }, print);
}

function attribute(tag: string, name: string): string | undefined {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1];
  return value === undefined ? undefined : unescape(value);
}

function unescape(text: string): string {
  return text
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

/**
 * Follows pages: it loads a page again that asks for it, and follows a redirect after a form with GET. Ids
 * are shortened in the output.
 */
async function follow(url: string, request: RequestInit, print: Print): Promise<Page> {
  let next = { url, request };
  for (let hops = 0; hops < HOPS_MAX; hops++) {
    const response = await fetch(next.url, {
      ...next.request,
      redirect: "manual",
      signal: AbortSignal.timeout(30_000),
    });
    print(`buyer -> ${next.request.method} ${shorten(next.url)} <- ${response.status}\n`);
    const location = response.headers.get("Location");
    if (location === null) {
      if (!response.ok) throw new DemoError(`${shorten(next.url)} was answered with ${response.status}`);
      return { url: next.url, html: await response.text() };
    }
    next = { url: new URL(location, next.url).href, request: { method: "GET" } };
  }
  throw new DemoError(`more than ${HOPS_MAX} redirects`);
}

const HOPS_MAX = 10;

function shorten(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname.replaceAll(/[\w.-]{40,}/g, (id) => `${id.slice(0, 12)}…`)}`;
}
