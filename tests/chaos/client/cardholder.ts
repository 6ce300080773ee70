import { formOf, persist, send, type Page } from "./browser.ts";

/** A cardholder's answer to the challenge. */
export type CardholderAnswer = "right" | "wrong" | "cancel" | "never";

/**
 * A browser that goes to the challenge and comes back, in spite of failures on the way: each step is tried
 * for a while, and then the cardholder gives up. Its pages are not recorded: only the merchant's answers and
 * the webhook count.
 */
export async function playCardholder(redirectUrl: string, answer: CardholderAnswer): Promise<void> {
  if (answer === "never") return;
  const typed = {
    code: answer === "right" ? "123456" : "000000",
    answer: answer === "cancel" ? "cancel" : "submit",
  };
  let page = await persist(() => load(redirectUrl));
  for (let step = 0; step < STEPS_MAX; step++) {
    const shown = page;
    if (!shown || !leadsOn(shown)) return;
    page = await persist(() => submit(shown, asksForCode(shown) ? typed : {}));
  }
}

/** The most steps: to the bank, perhaps over a page of its own, to the issuer, and back. */
const STEPS_MAX = 6;

/** A page that sends itself, or the issuer's. */
function leadsOn(page: Page): boolean {
  return asksForCode(page) || /<form id="(?:challenge|next|return)"/.test(page.html);
}

function asksForCode({ html }: Page): boolean {
  return html.includes('name="code"');
}

async function load(url: string, init: RequestInit = {}): Promise<Page> {
  const page = await send(url, init);
  if (page.status >= 500) throw new Error(`answered ${page.status}`);
  // The way back to the shop is not followed.
  return page.location?.startsWith("http://") ? await load(page.location) : page;
}

/** Sends the page's form with the cardholder's input. */
async function submit(page: Page, typed: Record<string, string> = {}): Promise<Page> {
  const form = formOf(page);
  if (!form) return page;
  const body = new URLSearchParams([...form.fields, ...Object.entries(typed)]);
  return await load(form.action, { method: "POST", body });
}
