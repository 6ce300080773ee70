import { setTimeout as delay } from "node:timers/promises";

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

type Page = { url: string; html: string };

async function load(url: string, init: RequestInit = {}): Promise<Page> {
  const response = await fetch(url, {
    ...init,
    redirect: "manual",
    signal: AbortSignal.timeout(STEP_TIMEOUT_MS),
  });
  const html = await response.text();
  if (response.status >= 500) throw new Error(`answered ${response.status}`);
  const location = response.headers.get("location");
  // The shop is nobody's business here.
  return location?.startsWith("http://") ? await load(location) : { url, html };
}

/** Sends the page's form with what was typed. */
async function submit({ url, html }: Page, typed: Record<string, string> = {}): Promise<Page> {
  const action = /<form[^>]*action="([^"]+)"/.exec(html)?.[1];
  if (action === undefined) return { url, html };
  const hidden = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  const fields = hidden.map(([, name = "", value = ""]) => [name, value]);
  const body = new URLSearchParams([...fields, ...Object.entries(typed)]);
  return await load(new URL(action, url).href, { method: "POST", body });
}

async function persist(step: () => Promise<Page>): Promise<Page | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    try {
      return await step();
    } catch {
      await delay(PAUSE_MS);
    }
  }
  return undefined;
}

const ATTEMPTS_MAX = 6;
const PAUSE_MS = 300;
const STEP_TIMEOUT_MS = 4_000;
