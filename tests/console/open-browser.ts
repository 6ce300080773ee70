const REQUESTS_MAX = 30;

export type Shown = { status: number; text: string; url: string };

/** A browser that keeps its cookies, follows redirects, and clicks on one person at the provider's choice of people. */
export function openBrowser(person: string) {
  const jar = new Map<string, string>();
  const send = async (address: URL, form?: URLSearchParams) => {
    const response = await fetch(address, {
      method: form ? "POST" : "GET",
      redirect: "manual",
      headers: {
        Cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; "),
        ...(form && { Origin: address.origin }),
      },
      ...(form && { body: form }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      if (value === "" || /max-age=0\b/i.test(cookie)) jar.delete(name!);
      else jar.set(name!, value!);
    }
    return response;
  };
  return {
    /** Opens an address without following redirects. */
    open: async (url: string) => await send(new URL(url)),
    /** The cookies, as it sends them. */
    cookies: () => [...jar].map(([name, value]) => `${name}=${value}`).join("; "),
    /** Forgets a cookie, as when it is closed. */
    forget: (name: string) => void jar.delete(name),
    /** Opens a page in a tab and clicks on the person, up to the address with which the provider leads back. */
    async leadBack(url: string): Promise<string> {
      let [next, form]: [URL, URLSearchParams | undefined] = [new URL(url), undefined];
      for (let requests = 0; requests < REQUESTS_MAX; requests++) {
        if (next.pathname === "/login/return") return next.href;
        const response = await send(next, form);
        const location = response.headers.get("location");
        if (location !== null) [next, form] = [new URL(location, next), undefined];
        else form = new URLSearchParams({ person });
      }
      throw new Error(`after ${REQUESTS_MAX} requests it was not led back, but to ${next.href}`);
    },
    async visit(url: string, posted?: URLSearchParams): Promise<Shown> {
      let [next, form] = [new URL(url), posted];
      for (let requests = 0; requests < REQUESTS_MAX; requests++) {
        const response = await send(next, form);
        const location = response.headers.get("location");
        const text = await response.text();
        if (location !== null) [next, form] = [new URL(location, next), undefined];
        else if (next.pathname.startsWith("/interaction/") && !form) form = new URLSearchParams({ person });
        else return { status: response.status, text, url: next.href };
      }
      throw new Error(`after ${REQUESTS_MAX} requests it still leads on, now to ${next.href}`);
    },
  };
}

/** Visits an address with a browser of its own. */
export async function visit(url: string, person = "alice"): Promise<Shown> {
  return await openBrowser(person).visit(url);
}
