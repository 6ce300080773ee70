import { formOf, persist, send, type Page } from "./browser.ts";

/** What a cardholder does at the challenge. */
export type CardholderAnswer = "right" | "wrong" | "cancel" | "never";

/**
 * A browser that goes to the challenge and comes back, over whatever fails on the way: each step is tried for a while, and
 * then the cardholder has had enough. What it is told is not written down: only the merchant's answers and the webhook count.
 */
export async function playCardholder(redirectUrl: string, answer: CardholderAnswer): Promise<void> {
  if (answer === "never") return;
  const hop = await persist(() => load(redirectUrl));
  const challenge = hop && (await persist(() => submit(hop)));
  const typed = { code: answer === "right" ? "123456" : "000000", answer };
  const back = challenge && (await persist(() => submit(challenge, typed)));
  if (back?.html.includes('id="return"')) await persist(() => submit(back));
}

async function load(url: string, init: RequestInit = {}): Promise<Page> {
  const page = await send(url, init);
  if (page.status >= 500) throw new Error(`answered ${page.status}`);
  // The shop is nobody's business here.
  return page.location?.startsWith("http://") ? await load(page.location) : page;
}

/** Sends the page's form with what was typed. */
async function submit(page: Page, typed: Record<string, string> = {}): Promise<Page> {
  const form = formOf(page);
  if (!form) return page;
  const body = new URLSearchParams([...form.fields, ...Object.entries(typed)]);
  return await load(form.action, { method: "POST", body });
}
