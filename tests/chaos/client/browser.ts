import { setTimeout as delay } from "node:timers/promises";

/** The page shown by a browser without JavaScript. */
export type Page = { url: string; html: string };

/** A form of a page, as the browser would send it. */
export type PageForm = { action: string; fields: [name: string, value: string][] };

/** A page's first form whose action has this ending; undefined if there is none. */
export function formOf({ url, html }: Page, actionEnds = ""): PageForm | undefined {
  for (const [form, action = ""] of html.matchAll(/<form[^>]*action="([^"]+)"[^]*?<\/form>/g)) {
    const target = new URL(unescape(action), url);
    if (!target.pathname.endsWith(actionEnds)) continue;
    const hidden = form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g);
    return {
      action: target.href,
      fields: [...hidden].map(([, name = "", value = ""]) => [name, unescape(value)]),
    };
  }
  return undefined;
}

/** Back from the entities a page is written with. */
export function unescape(text: string): string {
  const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"' };
  return text.replaceAll(/&(?:#(\d+)|(amp|lt|gt|quot));/g, (_, code?: string, name = "") =>
    code === undefined ? (entities[name] ?? "") : String.fromCodePoint(Number(code)),
  );
}

/** One request, whose redirection is the caller's to follow. Patience is bounded. */
export async function send(
  url: string,
  init: RequestInit = {},
): Promise<Page & { status: number; location?: string }> {
  const response = await fetch(url, {
    ...init,
    redirect: "manual",
    signal: AbortSignal.timeout(STEP_TIMEOUT_MS),
  });
  const html = await response.text();
  const location = response.headers.get("location");
  return {
    url,
    html,
    status: response.status,
    ...(location !== null && { location: new URL(location, url).href }),
  };
}

/** Longer than a gateway takes to answer that the outcome is unknown. */
const STEP_TIMEOUT_MS = 4_000;

/** Tries a step again while it fails, within a person's patience. */
export async function persist<Result>(step: () => Promise<Result>): Promise<Result | undefined> {
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
