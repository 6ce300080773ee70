// deploy/image/healthcheck, which engines run in each container again and again.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { freePort } from "@holdfast/sandbox/infrastructure";
import { expect, onTestFinished, test } from "vitest";
import { deployDir } from "./build-overlay.ts";

/** The exit code of a check: of one port by the image's variables, or of several. No program is on its PATH. */
async function check(...ports: number[]): Promise<unknown> {
  const env = { PATH: "/nowhere", HEALTH_PORT: `${ports[0]}`, HEALTH_PATH: "/readyz" };
  const named = ports.length > 1 ? ports.map((port) => `${port}`) : [];
  return await new Promise((resolve) => {
    execFile(join(deployDir, "image", "healthcheck"), named, { env }, (error) => resolve(error?.code ?? 0));
  });
}

async function listening(status: number): Promise<number> {
  const server = createServer(({ url }, response) => {
    response.writeHead(url === "/readyz" ? status : 404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test("a process that is ready is healthy, and one that is not, or does not listen, is not", async () => {
  expect(await check(await listening(200))).toBe(0);
  expect(await check(await listening(503))).toBe(1);
  expect(await check(await freePort())).toBe(1);
});

test("one service that is not ready is enough where a process runs several", async () => {
  const [ready, alsoReady, notReady] = [await listening(200), await listening(200), await listening(503)];
  expect(await check(ready, alsoReady)).toBe(0);
  expect(await check(ready, notReady, alsoReady)).toBe(1);
});

test("each image asks by it, and by nothing that starts a program of its own", () => {
  const dockerfile = readFileSync(join(deployDir, "..", "Dockerfile"), "utf8");
  const asked = [...dockerfile.matchAll(/^HEALTHCHECK .*CMD (.+)$/gm)].map(([, command]) => command);
  expect(asked).toEqual(['["healthcheck"]', '["healthcheck"]']);
});
