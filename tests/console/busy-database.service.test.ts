// Each page looks its session up, so people notice the state of the console's own database.
import { freePort } from "@holdfast/sandbox/infrastructure";
import { afterAll, beforeAll, expect, test } from "vitest";
import { letStatementsWait, mendAfter, occupyConnections } from "../support/occupy-connections.ts";
import { startConsoleHarness, type ConsoleHarness } from "./console-harness.ts";
import { openBrowser } from "./open-browser.ts";

let harness: ConsoleHarness;
beforeAll(async () => {
  harness = await startConsoleHarness();
  await letStatementsWait(harness.database, harness.database.urls.console.app);
});
afterAll(() => harness?.close());

const CONNECTIONS = 2;

/** @returns a person who is signed in at it. */
async function startConsole(settings: Record<string, string>) {
  const consoleUrl = await harness.startConsole({ DATABASE_CONNECTIONS_MAX: `${CONNECTIONS}`, ...settings });
  await harness.startProvider(consoleUrl);
  const browser = openBrowser("alice");
  expect((await browser.visit(`${consoleUrl}/merchants`)).status).toBe(200);
  return { consoleUrl, browser };
}

/** Has every connection of the console wait. @returns the function that frees them. */
async function occupied({ consoleUrl, browser }: Awaited<ReturnType<typeof startConsole>>) {
  return await occupyConnections(harness.database, {
    table: "console.session",
    applicationName: "console",
    count: CONNECTIONS,
    read: () => browser.open(`${consoleUrl}/merchants`),
  });
}

test("a page waits while every connection is in use, and comes when one is free", async () => {
  const started = await startConsole({ DATABASE_CONNECTION_TIMEOUT: "60s" });
  const free = await occupied(started);
  const page = started.browser.open(`${started.consoleUrl}/merchants`);
  await free();
  expect((await page).status).toBe(200);
});

test("a page that gets no connection in time says so, when to try again, and signs nobody out", async () => {
  const started = await startConsole({ DATABASE_CONNECTION_TIMEOUT: "200ms" });
  const { browser, consoleUrl } = started;
  const free = await occupied(started);
  await mendAfter(
    (async () => {
      const page = await browser.open(`${consoleUrl}/merchants?q=shop`);
      expect([page.status, page.headers.get("retry-after")]).toEqual([503, "2"]);
      const text = await page.text();
      expect(text).toContain("The console cannot look up your sign-in");
      expect(text).toContain('<a class="button" href="/merchants?q=shop">Try again</a>');
      const form = new URLSearchParams({ name: "Not made" });
      const posted = await browser.visit(`${consoleUrl}/merchants`, form);
      expect(posted.status).toBe(503);
      expect(posted.text).toContain("Nothing was changed");
    })(),
    free,
  );
  const again = await browser.open(`${consoleUrl}/merchants`);
  expect(again.status).toBe(200);
  expect(await again.text()).not.toContain("Not made");
});

test("while the gateway is away a page of somebody who is signed in says when to try again", async () => {
  const { browser, consoleUrl } = await startConsole({});
  const away = await harness.startConsole({ OPERATOR_API_URL: `http://127.0.0.1:${await freePort()}` });
  expect(new URL(away).hostname).toBe(new URL(consoleUrl).hostname);
  // A cookie belongs to a host, on any port.
  const page = await browser.open(`${away}/merchants`);
  expect([page.status, page.headers.get("retry-after")]).toEqual([503, "2"]);
  const text = await page.text();
  expect(text).toContain("The gateway does not answer");
  expect(text).toContain('<a class="button" href="/merchants">Try again</a>');
  expect(text).toContain("alice");
});
