import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { SandboxFile } from "@holdfast/sandbox";
import { Client } from "pg";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { expect, inject, onTestFinished } from "vitest";
import { launchChromium } from "./launch-chromium.ts";

/** The whole product in real processes, and a real browser in front of it. */
export type BrowserHarness = {
  file: SandboxFile;
  createCheckout(change?: Record<string, unknown>): Promise<Checkout>;
  createPaymentLink(
    change?: Record<string, unknown>,
  ): Promise<{ paymentLinkId: string; paymentLinkUrl: string }>;
  readCheckout(checkoutId: string): Promise<Checkout>;
  /** A new browser without any history, on the checkout's page. */
  visit(checkout: Partial<Checkout> & Pick<Checkout, "checkoutUrl">, buyer?: Buyer): Promise<Page>;
  /** Calls the merchant API as the sandbox's merchant, live and in test mode. */
  merchantApi: (method: string, path: string, body?: unknown) => Promise<Checkout & Record<string, string>>;
  testApi: (method: string, path: string, body?: unknown) => Promise<Checkout & Record<string, string>>;
  /** Gives the merchant of the sandbox a look of its own, as an operator; null takes it away. */
  brandMerchant(branding: object | null): Promise<void>;
  /** A browser of its own without any sign-in; the caller checks its complaints. */
  openBrowser(reader?: BrowserContextOptions): Promise<Page>;
  /** A browser of its own on the front page of the guides. */
  visitGuides(reader: Buyer): Promise<Page>;
  /** Queries as the superuser, so every service's rows. */
  query<Row = Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]>;
  /** The bank's ledger lines for the checkout's payments. */
  ledger(checkoutId: string): Promise<{ operation: string; outcome: string }[]>;
  /** Everything the processes have logged so far. */
  logs(): Promise<string>;
  stop(): Promise<void>;
};

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads bodies as a stranger would
export type Checkout = { checkoutId: string; checkoutUrl: string; status: string; payment?: any };

export type Buyer = BrowserContextOptions & { name: string };
/** A phone in Turkey and a desk in Britain. */
export const PHONE: Buyer = {
  name: "phone",
  viewport: { width: 390, height: 844 },
  locale: "tr-TR",
  isMobile: true,
  hasTouch: true,
};
/** The narrowest telephone, in the dark. */
export const SMALL: Buyer = {
  name: "small",
  viewport: { width: 320, height: 640 },
  locale: "tr-TR",
  colorScheme: "dark",
  isMobile: true,
  hasTouch: true,
};
export const DESK: Buyer = { name: "desk", viewport: { width: 1280, height: 800 }, locale: "en-GB" };

export const SHOP = "https://shop.example";
/** A machine with twenty times the work still answers a click within this. */
const STEP_TIMEOUT_MS = 180_000;
/** Git-ignored; to be looked at. */
const SCREENSHOTS = join(import.meta.dirname, "..", "..", ".cache", "screenshots");

/**
 * One browser for all files, which share their modules: to start one takes as long as to load twenty pages. It ends
 * with the process of the tests.
 */
let browserOfAll: Promise<Browser> | undefined;

/** A browser before the product, both of which all files share. */
// oxlint-disable-next-line max-lines-per-function -- one short helper after the other
export async function startBrowserHarness(): Promise<BrowserHarness> {
  const file = inject("sandbox");
  const browser = await (browserOfAll ??= launchChromium());
  const database = new Client({ connectionString: file.databaseUrl });
  await database.connect();
  const query = async <Row>(text: string, values: unknown[] = []) =>
    (await database.query(text, values)).rows as Row[];
  const apiOf =
    ({ apiKey, apiSecret }: { apiKey: string; apiSecret: string }) =>
    async (method: string, path: string, body?: unknown) => {
      const response = await fetch(file.gatewayUrl + path, {
        method,
        headers: { "X-API-KEY": apiKey, "X-API-SECRET": apiSecret, "Content-Type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      expect(response.ok).toBe(true);
      return (await response.json()) as Checkout;
    };
  const api = apiOf(file.merchants[0]!);
  const openContext = async (options: BrowserContextOptions) => {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(STEP_TIMEOUT_MS);
    onTestFinished(() => context.close());
    return context;
  };
  return {
    file,
    query,
    createCheckout: (change = {}) =>
      api("POST", "/api/checkout", {
        orderId: "order-4711",
        amount: 1249.9,
        currency: "TRY",
        installmentOptions: [3, 6, 12],
        successUrl: `${SHOP}/paid?cart=1`,
        failureUrl: `${SHOP}/failed`,
        threeDs: false,
        ...change,
      }),
    async createPaymentLink(change = {}) {
      const body = { orderId: "lesson-1", description: "Piano lesson", amount: 1249.9, currency: "TRY" };
      const made: unknown = await api("POST", "/api/payment-links", { ...body, threeDs: false, ...change });
      return made as { paymentLinkId: string; paymentLinkUrl: string };
    },
    readCheckout: (checkoutId) => api("GET", `/api/checkout/${checkoutId}`),
    async visit({ checkoutUrl }, { name: _name, ...options } = DESK) {
      const context = await openContext(options);
      await context.route(`${SHOP}/**`, (route) =>
        route.fulfill({
          contentType: "text/html",
          body: "<!doctype html><title>Shop</title><h1>The shop</h1>",
        }),
      );
      const page = await context.newPage();
      watch(page);
      await page.goto(checkoutUrl);
      return page;
    },
    merchantApi: api,
    testApi: apiOf(file.testMode),
    openBrowser: async (reader = {}) => await (await openContext(reader)).newPage(),
    async brandMerchant(branding) {
      const { status } = await fetch(
        `${file.operatorUrl}/operator/merchants/${file.merchants[0]!.merchantId}`,
        {
          method: "PATCH",
          headers: {
            Authorization: `Bearer ${file.operators[0]!.token}`,
            "Content-Type": "application/json",
          },
          body: JSON.stringify({ branding }),
        },
      );
      expect(status).toBe(200);
    },
    async visitGuides({ name: _name, ...options }) {
      const page = await (await openContext(options)).newPage();
      watch(page);
      await page.goto(`${file.gatewayUrl}/docs/`);
      return page;
    },
    async ledger(checkoutId) {
      const payments = await query<{ payment_id: string }>(
        "select payment_id from payments.checkout_payment where checkout_id = $1",
        [checkoutId],
      );
      const text = await (await fetch(`${file.acquirerUrl}/ledger`)).text();
      const lines = text.split("\n").filter(Boolean);
      return lines
        .map((line) => JSON.parse(line) as { reference: string; operation: string; outcome: string })
        .filter(({ reference }) => payments.some(({ payment_id }) => reference.startsWith(payment_id)));
    },
    async logs() {
      const names = await readdir(file.logs);
      return (await Promise.all(names.map((name) => readFile(join(file.logs, name), "utf8")))).join("\n");
    },
    async stop() {
      await database.end();
    },
  };
}

/** Fails every test in which the browser complains: of a script that failed, or something the policy did not allow. */
function watch(page: Page): void {
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  onTestFinished(() => expect(complaints).toEqual([]));
}

/**
 * Checks the page as it is: takes a picture for people, runs axe's rules, and finds anything wider than the
 * screen.
 *
 * @param rules axe's rules to run, instead of all of them
 */
export async function inspect(page: Page, name: string, rules?: readonly string[]): Promise<void> {
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true, timeout: 120_000 });
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  expect(await page.evaluate(violationsBy(rules))).toEqual([]);
  expect(await page.evaluate(BEYOND_THE_SCREEN)).toEqual([]);
}

/** Violations that axe finds. The passes are as long as the page, and come only as a number. */
function violationsBy(rules: readonly string[] | undefined): string {
  const only = rules && { runOnly: { type: "rule", values: rules } };
  const options = JSON.stringify({ resultTypes: ["violations"], ...only });
  return `axe.run(document, ${options}).then(({ violations, passes }) => {
    if (passes.length === 0) return ["axe has looked at nothing"];
    return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
  })`;
}

/** The rules that another light can change: a tidy test ensures that this is colours alone. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/** Inspects the page in the light and in the dark, after one load. */
export async function inspectInBothLights(page: Page, name: string): Promise<void> {
  await page.emulateMedia({ colorScheme: "light" });
  await inspect(page, `${name}-light`);
  await page.emulateMedia({ colorScheme: "dark" });
  await inspect(page, `${name}-dark`, COLOUR_RULES);
  await page.emulateMedia({ colorScheme: null });
}

/** The elements that make a page wider than its screen. */
const BEYOND_THE_SCREEN = `(() => {
  const { clientWidth, scrollWidth } = document.documentElement;
  if (scrollWidth === clientWidth) return [];
  const wide = [...document.querySelectorAll("body *")].filter((each) => each.getBoundingClientRect().right > clientWidth);
  return ["a page of " + scrollWidth + " pixels", ...wide.slice(0, 5).map((each) => each.outerHTML.slice(0, 300))];
})()`;

/** Inspects the page on the narrowest telephone and at a desk, each in the light and in the dark. */
export async function inspectOnEveryScreen(page: Page, name: string): Promise<void> {
  const own = page.viewportSize()!;
  for (const width of [320, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    await inspectInBothLights(page, `${name}-${width}`);
  }
  await page.setViewportSize(own);
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const CARD = { pan: "4111111111111111", cvv: "937" };
/** A card whose bank requires a challenge. */
export const CHALLENGED = "4000000000003220";

/** Types a card as a person does, key by key. */
export async function typeCard(page: Page, { pan = CARD.pan, cvv = CARD.cvv } = {}): Promise<void> {
  await page.locator("#pan").fill("");
  await page.locator("#pan").pressSequentially(pan);
  await page.locator("#cardHolderName").fill("Ada Lovelace");
  await page.locator("#expiry").fill("");
  await page.locator("#expiry").pressSequentially(`12${(new Date().getUTCFullYear() + 2) % 100}`);
  await page.locator("#cvv").fill(cvv);
}

/** The shop's page the buyer was sent to, with its query. */
export async function shopAddress(page: Page): Promise<{ path: string; query: Record<string, string> }> {
  await page.waitForURL(`${SHOP}/**`);
  const { pathname, searchParams } = new URL(page.url());
  return { path: pathname, query: Object.fromEntries(searchParams) };
}

/** Begins a payment with a card that its bank challenges, as the merchant's shop. */
export async function enrol(
  gatewayUrl: string,
  { apiKey, apiSecret }: { apiKey: string; apiSecret: string },
): Promise<{ paymentId: string; redirectUrl: string; htmlContent: string }> {
  const answer = await fetch(`${gatewayUrl}/api/3ds`, {
    method: "POST",
    headers: { "X-API-KEY": apiKey, "X-API-SECRET": apiSecret, "Content-Type": "application/json" },
    body: JSON.stringify({
      orderId: "order-1",
      amount: 10,
      currency: "TRY",
      cardHolderName: "Ada Lovelace",
      pan: CHALLENGED,
      expiryMonth: "12",
      expiryYear: String((new Date().getUTCFullYear() + 2) % 100),
      cvv: CARD.cvv,
      requestIp: "203.0.113.7",
      requestPort: 40_000,
      successUrl: `${SHOP}/paid`,
      failureUrl: `${SHOP}/failed`,
    }),
  });
  if (answer.status !== 201) throw new Error(`an enrolment is answered with ${answer.status}`);
  return (await answer.json()) as { paymentId: string; redirectUrl: string; htmlContent: string };
}
