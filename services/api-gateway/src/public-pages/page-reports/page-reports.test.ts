import { captureLog } from "@holdfast/tests/support";
import { expect, onTestFinished, test, vi } from "vitest";
import { http } from "../../../test/http-client.ts";
import { startListener } from "../../http/listener.ts";
import { pageReports } from "./page-reports.ts";
import type { Violation } from "./read-reports.ts";
import { createViolationEvents } from "./violation-events.ts";

const FOREIGN = {
  "csp-report": {
    "document-uri": "https://pay.example/checkout/1?token=secret",
    "effective-directive": "script-src-elem",
    "blocked-uri": "https://evil.example/skim.js?card=4111111111111111",
  },
};

async function setUp() {
  const { log, lines } = captureLog("api-gateway");
  const violations: Violation[] = [];
  const router = pageReports({
    publicUrl: "https://pay.example/gateway/",
    events: { violated: (violation) => void violations.push(violation) },
  });
  const listener = await startListener({
    name: "public",
    host: "127.0.0.1",
    port: 0,
    router,
    log,
    connectionsMax: 100,
  });
  onTestFinished(() => listener.stop(0));
  const send = (body: string, type = "application/csp-report", headers: Record<string, string> = {}) =>
    http(listener.port, {
      method: "POST",
      path: "/csp-reports",
      body,
      headers: { "content-type": type, ...headers },
    });
  return { lines, violations, send, port: listener.port };
}

test("a report is counted and answered with nothing, in both forms that browsers have", async () => {
  const { send, violations, lines } = await setUp();
  expect(await send(JSON.stringify(FOREIGN))).toMatchObject({ status: 204, text: "" });
  const report = {
    type: "csp-violation",
    body: { effectiveDirective: "style-src-attr", blockedURL: "inline" },
  };
  expect(await send(JSON.stringify([report]), "application/reports+json")).toMatchObject({ status: 204 });
  expect(violations).toEqual([
    { directive: "script-src-elem", source: "foreign", origin: "https://evil.example" },
    { directive: "style-src-attr", source: "inline" },
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/secret|41111111|skim/);
});

test("whatever else is sent gets the same answer and counts for nothing", async () => {
  const { send, violations, port } = await setUp();
  const report = JSON.stringify(FOREIGN);
  const answers = [
    await send("{"),
    await send(report, "application/json"),
    await send(report, "text/plain"),
    await send(report.padEnd(8 * 1_024 + 1)),
    await send(report, "application/csp-report", { "content-encoding": "gzip" }),
  ];
  for (const answer of answers) expect(answer).toMatchObject({ status: 204, text: "" });
  expect(violations).toEqual([]);
  expect(await send(report.padEnd(8 * 1_024))).toMatchObject({ status: 204 });
  expect(violations).toHaveLength(1);
  expect(await http(port, { path: "/csp-reports" })).toMatchObject({ status: 404 });
});

test("one client is heard 120 times a minute, and answered every time", async () => {
  // Stops the clock, so that its bucket is not refilled, however long the requests take.
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { send, violations } = await setUp();
  const answers = await Promise.all(Array.from({ length: 150 }, () => send("{}", "text/plain")));
  for (const answer of answers) expect(answer.status).toBe(204);
  expect(await send(JSON.stringify(FOREIGN))).toMatchObject({ status: 204 });
  expect(violations).toEqual([]);
  vi.advanceTimersByTime(60_000);
  await send(JSON.stringify(FOREIGN));
  expect(violations).toHaveLength(1);
});

test("the log has one line a second, with the number of those before it", () => {
  const { log, lines } = captureLog("api-gateway");
  let now = 5_000;
  const events = createViolationEvents(log, () => now);
  const violation = {
    directive: "script-src-elem",
    source: "foreign",
    origin: "https://evil.example",
  } as const;
  events.violated(violation);
  for (let index = 0; index < 1_000; index++) events.violated({ directive: "img-src", source: "inline" });
  now += 1_000;
  events.violated({ directive: "style-src", source: "inline" });
  expect(lines).toMatchObject([
    { level: "warn", listener: "public", fault: "script-src-elem", reason: "https://evil.example", count: 1 },
    { level: "warn", fault: "style-src", reason: "inline", count: 1_001 },
  ]);
});
