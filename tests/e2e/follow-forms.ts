/**
 * The parts of a browser that the tests need: the page it shows, its address, and the address and parameters
 * of its return to the shop.
 */
export type Page = { status: number; url: string; html: string; shop?: URL };

/** One request and where it leads; a form is sent once. */
export async function open(url: string, init: RequestInit = {}): Promise<Page> {
  const response = await fetch(url, { ...init, redirect: "manual" });
  const location = response.headers.get("location");
  const html = await response.text();
  if (location?.startsWith("https://shop.example")) {
    return { status: response.status, url, html, shop: new URL(location) };
  }
  if (location) return await open(new URL(location, url).href);
  return { status: response.status, url, html };
}

/** Sends the page's form with the input and the button pressed. */
export async function send({ url, html }: Page, typed: Record<string, string> = {}): Promise<Page> {
  const action = unescapeHtml(/<form[^>]*action="([^"]+)"/.exec(html)?.[1] ?? "");
  const fields = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(
    ([, name, value]) => [name ?? "", unescapeHtml(value ?? "")] as [string, string],
  );
  const body = new URLSearchParams([...fields, ...Object.entries(typed)]);
  return await open(new URL(action, url).href, { method: "POST", body });
}

function unescapeHtml(text: string): string {
  return text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}
