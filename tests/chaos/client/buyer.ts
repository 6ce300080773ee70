import { setTimeout as delay } from "node:timers/promises";
import type { ShownCheckout, Visit } from "../../checker/index.ts";
import { formOf, persist, send, unescape, type Page, type PageForm } from "./browser.ts";
import { playCardholder, type CardholderAnswer } from "./cardholder.ts";
import { CARDS, cvvOf, type CardName } from "./cards.ts";

/** A buyer's actions on a checkout's page. */
export type BuyerPlan = {
  /** The number of open copies of the page, all of which are sent at the same time. */
  tabs: number;
  /** Each form is sent so many times more at the same moment. */
  copies: number;
  /** Cards in the order in which they are tried, as long as the page shows a form. */
  tries: { card: CardName; cardholder: CardholderAnswer }[];
  /** The time from showing the form to sending it. */
  hesitatesMs: number;
  /** The last tab goes back to the shop instead of paying. */
  goesBack: boolean;
};

export type BuyerDeps = {
  /** Origins of the public pages, one for each gateway, which are used in turn as behind a load balancer. */
  origins: readonly [string, ...string[]];
  visits: { add(visit: Visit): void };
};

/** Pays a checkout on its page as a browser without JavaScript does, in spite of failures on the way. */
export async function visitCheckout(deps: BuyerDeps, checkoutId: string, plan: BuyerPlan): Promise<void> {
  const buyer = new Buyer(deps, checkoutId);
  const tabs = await Promise.all(Array.from({ length: plan.tabs }, () => buyer.look()));
  await Promise.all(
    tabs.map(async (shown, index) => {
      if (plan.goesBack && index === tabs.length - 1) await buyer.goBack(shown, plan);
      else await buyer.pay(shown, plan);
    }),
  );
}

/** A page's kind, its form and the way to the challenge, as far as there are any. */
type Shown = { kind: ShownCheckout; form?: PageForm; cancel?: PageForm; challengeUrl?: string };

/** One buyer at one checkout. Records every request with the page that came back. */
class Buyer {
  readonly #deps: BuyerDeps;
  readonly #checkoutId: string;
  #requests = 0;

  constructor(deps: BuyerDeps, checkoutId: string) {
    this.#deps = deps;
    this.#checkoutId = checkoutId;
  }

  /** One tab, from the form to the end: paid, closed, out of cards, or out of patience. */
  async pay(first: Shown | undefined, { tries, hesitatesMs, copies }: BuyerPlan): Promise<void> {
    let shown = first;
    for (const { card, cardholder } of tries) {
      const form = (shown = await this.#untilDecided(shown))?.form;
      if (!form) return;
      await delay(hesitatesMs);
      const sent = await Promise.all(Array.from({ length: copies + 1 }, () => this.#submit(form, card)));
      shown = await this.look();
      const challengeUrl = sent.find((url) => url?.includes("/3ds/")) ?? shown?.challengeUrl;
      if (challengeUrl === undefined) continue;
      await playCardholder(challengeUrl, cardholder);
      shown = await this.look();
    }
    await this.#untilDecided(shown);
  }

  async goBack(shown: Shown | undefined, { hesitatesMs }: BuyerPlan): Promise<void> {
    const form = shown?.cancel;
    if (!form) return;
    await delay(hesitatesMs);
    const body = new URLSearchParams(form.fields);
    await persist(() => this.#request("cancel", form.action, { body, ...paymentOf(form) }));
    await this.look();
  }

  /** The page's present state; undefined if it could not be loaded. */
  async look(): Promise<Shown | undefined> {
    const path = `/checkout/${this.#checkoutId}?lang=en`;
    const answer = await persist(() => this.#request("look", new URL(path, this.#deps.origins[0]).href));
    return answer && shownBy(answer);
  }

  /** Loads the page again and again, as a browser does while the bank is asked. */
  async #untilDecided(first: Shown | undefined): Promise<Shown | undefined> {
    let shown = first;
    for (let look = 0; look < LOOKS_MAX && shown?.kind === "waiting"; look++) {
      await delay(REFRESH_MS);
      shown = await this.look();
    }
    return shown;
  }

  /**
   * Submits the form, with the same bytes again while there is no answer, like a reload. @returns the
   * redirect's address.
   */
  async #submit(form: PageForm, card: CardName): Promise<string | undefined> {
    const body = new URLSearchParams([
      ...form.fields,
      ["pan", CARDS[card]],
      ["cardHolderName", "Ada Lovelace"],
      ["expiry", "12/35"],
      ["cvv", cvvOf(card)],
    ]);
    const answer = await persist(() => this.#request("pay", form.action, { body, ...paymentOf(form) }));
    return answer?.location;
  }

  async #request(
    action: Visit["action"],
    url: string,
    { body, paymentId }: { body?: URLSearchParams; paymentId?: string } = {},
  ): Promise<Page & { location?: string }> {
    const { origins, visits } = this.#deps;
    const { pathname, search } = new URL(url);
    // One after another in turn, as behind a load balancer.
    const origin = origins[this.#requests++ % origins.length] ?? origins[0];
    const visit = {
      checkoutId: this.#checkoutId,
      action,
      sentAt: performance.now(),
      ...(paymentId !== undefined && { paymentId }),
    };
    const answer = await send(`${origin}${pathname}${search}`, {
      headers: { "sec-fetch-site": action === "look" ? "none" : "same-origin" },
      ...(body && { method: "POST", body }),
    }).catch((error: unknown) => {
      visits.add(visit);
      throw error;
    });
    const { status } = answer;
    const shown = status === 200 || status === 404 ? shownBy(answer)?.kind : undefined;
    visits.add({ ...visit, answeredAt: performance.now(), status, ...(shown && { shown }) });
    if (status >= 500) throw new Error(`answered ${status}`);
    return answer;
  }
}

const LOOKS_MAX = 16;
const REFRESH_MS = 1_000;

function paymentOf({ fields }: PageForm): { paymentId?: string } {
  const paymentId = fields.find(([name]) => name === "paymentId")?.[1];
  return paymentId === undefined ? {} : { paymentId };
}

/** Recognizes a page by the parts that stand on no other page (render-checkout.ts, render-form.ts). */
function shownBy(page: Page): Shown | undefined {
  const { html } = page;
  if (html.includes('class="notice"')) return { kind: "missing" };
  if (html.includes('class="sign good"')) return { kind: "paid" };
  if (html.includes('class="sign bad"')) return { kind: "unpaid" };
  const challengeUrl = /<a class="primary" href="([^"]+)"/.exec(html)?.[1];
  if (html.includes("data-poll="))
    return { kind: "waiting", ...(challengeUrl !== undefined && { challengeUrl: unescape(challengeUrl) }) };
  const [form, cancel] = [formOf(page, "/pay"), formOf(page, "/cancel")];
  return form && { kind: "form", form, ...(cancel && { cancel }) };
}
