import { freePort } from "@holdfast/sandbox/infrastructure";
import { afterAll, beforeAll, expect, test } from "vitest";
import { http } from "../../../test/http-client.ts";
import { startTestGateway, type TestGateway } from "../../../test/test-gateway.ts";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

test("violations are counted by directive and source, whatever was sent as such", async () => {
  const [pages, health] = [await freePort(), await freePort()];
  await gateway.spawnAnother("gateway-public", {
    PUBLIC_PAGES_PORT: String(pages),
    HEALTH_PORT: String(health),
  });
  for (const directive of ["script-src-elem", "script-src-elem", "made-up-by-somebody"]) {
    const report = { "effective-directive": directive, "blocked-uri": "https://evil.example/a.js" };
    const answer = await http(pages, {
      method: "POST",
      path: "/csp-reports",
      headers: { "content-type": "application/csp-report" },
      body: JSON.stringify({ "csp-report": report }),
    });
    expect(answer.status).toBe(204);
  }
  const { text } = await http(health, { path: "/metrics" });
  const counted = [...text.matchAll(/^holdfast_page_violations_total\{(.*)\} (\d+)/gm)];
  expect(counted.map(([, labels = "", count]) => [/directive="([^"]*)"/.exec(labels)?.[1], count])).toEqual([
    ["script-src-elem", "2"],
    ["other", "1"],
  ]);
});
