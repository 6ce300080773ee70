import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

/** A registry that knows advisories about packages, or refuses every question. */
async function startRegistry(advisories: object | undefined): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    const isQuestion = request.url === "/-/npm/v1/security/advisories/bulk" && request.method === "POST";
    response.writeHead(isQuestion && advisories ? 200 : 405, { "content-type": "application/json" });
    response.end(JSON.stringify(advisories ?? {}));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function scan(registry: string, ...args: string[]): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "scan-advisories.ts"), ...args], {
    // Settings of somebody's own npm, with which it would ask nobody.
    env: { ...process.env, npm_config_registry: registry, npm_config_fetch_retries: "0", ...OWN_SETTINGS },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  const [code] = (await once(child, "close")) as [number];
  return { code, output };
}

const OWN_SETTINGS = { npm_config_offline: "true", npm_config_audit: "false" };

const ADVISORY = {
  id: 1097,
  url: "https://github.com/advisories/GHSA-aaaa-bbbb-cccc",
  title: "Memory without a bound",
  severity: "high",
  vulnerable_versions: "<99.0.0",
  cwe: [],
  cvss: { score: 0, vectorString: null },
};

test("a registry without advisories passes, one advisory fails, and a registry that does not answer fails with its reason", async () => {
  const clean = await scan(await startRegistry({}));
  expect(clean).toEqual({ code: 0, output: expect.stringMatching(/^\d+ production packages, 0 faults\n$/) });
  const vulnerable = await scan(await startRegistry({ qs: [ADVISORY] }));
  expect(vulnerable.output).toContain("qs GHSA-aaaa-bbbb-cccc: Memory without a bound (high, <99.0.0)\n");
  expect(vulnerable.code).toBe(1);
  const refusing = await scan(await startRegistry(undefined));
  expect(refusing.output).toMatch(/^scan: no advisories could be read, so nothing is known about them: 405/);
  expect(refusing.code).toBe(2);
  const away = await scan("http://127.0.0.1:9/");
  expect(away.output).toMatch(/nothing is known about them/);
  expect(away.code).toBe(2);
});

test("a kept report counts for a week and its own lockfile", async () => {
  const dir = await mkdtemp(join(tmpdir(), "holdfast-scan-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const file = join(dir, "report.json");
  expect(await scan(await startRegistry({}), "--save", file)).toMatchObject({ code: 0 });
  expect(await scan("http://127.0.0.1:9/", "--report", file)).toMatchObject({ code: 0 });
  const kept = JSON.parse(await readFile(file, "utf8")) as { lockfile: string; collectedAt: string };
  for (const [changed, why] of [
    [{ lockfile: "other" }, "is about another package-lock.json"],
    [{ collectedAt: new Date(Date.now() - 8 * 86_400_000).toISOString() }, "not within 7 days"],
    [{ report: {} }, "auditReportVersion"],
  ] as const) {
    await writeFile(file, JSON.stringify({ ...kept, ...changed }));
    const { code, output } = await scan("http://127.0.0.1:9/", "--report", file);
    expect({ code, output }).toEqual({ code: 2, output: expect.stringContaining(why) });
  }
});
