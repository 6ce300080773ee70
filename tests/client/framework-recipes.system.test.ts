// Runs each program of docs/merchant/frameworks.md unchanged, in the real framework. Next.js is not
// installed: its route handler is a function from the platform's Request to its Response, which Node has.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire, registerHooks } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { signWebhook, signWebhookV2 } from "@holdfast/webhook-signature";
import express, { type Express } from "express";
import type { FastifyInstance } from "fastify";
import type { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const SECRET = "whs_abcdefghijklmnopqrstuvwxyz0123456789abcdefg";
const PROGRAMS = {
  express: "express.mts",
  fastify: "fastify.mts",
  hono: "hono.mts",
  next: "app/webhooks/route.ts",
};

type Sent = { body: string; headers?: Record<string, string> };
type Answer = { status: number; text: string };

let dir: string;
beforeAll(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), "holdfast-frameworks-")));
  await mkdir(join(dir, "app", "webhooks"), { recursive: true });
  await symlink(join(root, "node_modules"), join(dir, "node_modules"));
  const blocks = await blocksOf("frameworks");
  expect(blocks.map(({ mark }) => mark)).toEqual(Object.keys(PROGRAMS));
  for (const { mark, code } of blocks) {
    await writeFile(join(dir, PROGRAMS[mark as keyof typeof PROGRAMS]), code);
  }
  const receive = (await blocksOf("webhooks")).find(({ code }) => code.includes("function receive"))!.code;
  for (const name of ["webhook.mts", "webhook.ts"]) await writeFile(join(dir, name), receive);
  // Resolves `@/webhook` as Next.js does by the project's tsconfig.json.
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "@/webhook"
        ? {
            url: pathToFileURL(join(dir, "webhook.ts")).href,
            format: "module-typescript",
            shortCircuit: true,
          }
        : next(specifier, context),
  });
  vi.stubEnv("WEBHOOK_SECRET", SECRET);
  return () => hooks.deregister();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(dir, { recursive: true, force: true });
});

/** The way in which a request reaches each program. */
const SEND: Record<keyof typeof PROGRAMS, (sent: Sent) => Promise<Answer>> = {
  async express(sent) {
    return await sendTo((load(PROGRAMS.express) as { app: Express }).app, sent);
  },
  async fastify({ body, headers }) {
    const { app } = load(PROGRAMS.fastify) as { app: FastifyInstance };
    const { statusCode, payload } = await app.inject({
      method: "POST",
      url: "/webhooks",
      payload: body,
      headers: { ...headers, "content-type": "application/json" },
    });
    return { status: statusCode, text: payload };
  },
  async hono(sent) {
    const { app } = load(PROGRAMS.hono) as { app: Hono };
    return await answerOf(await app.request("/webhooks", requestInit(sent)));
  },
  async next(sent) {
    const route = load(PROGRAMS.next) as { POST(request: Request): Promise<Response> };
    return await answerOf(await route.POST(new Request("https://shop.example/webhooks", requestInit(sent))));
  },
};

describe.each(Object.entries(SEND))("%s", (_name, send) => {
  test("the bytes that the gateway has signed are accepted", async () => {
    // Parsed and serialized again these would be other bytes.
    const body = '{ "paymentId":"1", "amount":12.50, "status":"SUCCESS", "name":"\\u015fule Şule" }';
    expect(await send(signed(body))).toMatchObject({ status: 200 });
  });

  test("a changed body, another secret and no signature are refused", async () => {
    const { body, headers } = signed('{"amount":12.50}');
    expect(await send({ body: '{"amount":12.5}', headers })).toMatchObject({ status: 400 });
    expect(await send(signed(body, "whs_of_somebody_else"))).toMatchObject({ status: 400 });
    expect(await send({ body })).toMatchObject({ status: 400 });
  });
});

test.each(["express", "fastify", "hono"] as const)(
  "%s refuses a body of more than a megabyte",
  async (name) => {
    expect(await SEND[name](signed(`"${"x".repeat(1_100_000)}"`))).toMatchObject({ status: 413 });
  },
);

test("Fastify's other routes keep its parser", async () => {
  await copyFile(join(dir, PROGRAMS.fastify), join(dir, "two-routes.mts"));
  const { app } = load("two-routes.mts") as { app: FastifyInstance };
  app.post("/orders", (request) => ({ got: request.body }));
  const answer = await app.inject({ method: "POST", url: "/orders", payload: { amount: 1 } });
  expect(answer.json()).toEqual({ got: { amount: 1 } });
});

test("behind a parser Express's route says what is wrong", async () => {
  const { app } = load(PROGRAMS.express) as { app: Express };
  const shop = express().use(express.json()).use(app);
  const { status, text } = await sendTo(shop, signed('{"amount":12.50}'));
  expect(status).toBe(500);
  expect(text).toContain("rawBody must be the bytes as received");
});

test("a strict compiler accepts each of them", async () => {
  const compilerOptions = {
    target: "es2023",
    module: "esnext",
    moduleResolution: "bundler",
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    types: ["node"],
    paths: { "@/*": ["./*"] },
  };
  await writeFile(join(dir, "package.json"), JSON.stringify({ type: "module" }));
  await writeFile(
    join(dir, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: Object.values(PROGRAMS) }),
  );
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const { stdout } = await promisify(execFile)(process.execPath, [tsc], { cwd: dir }).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toBe("");
});

/** The blocks of TypeScript in a guide. */
async function blocksOf(guide: string): Promise<{ mark: string | undefined; code: string }[]> {
  const text = await readFile(join(root, "docs", "merchant", `${guide}.md`), "utf8");
  return [...text.matchAll(/^```ts(?: (\w+))?\n([^]*?)^```$/gm)].map(([, mark, code = ""]) => ({
    mark,
    code,
  }));
}

/** Node loads the file, with its types stripped; `import` would use the test runner, which has no hooks. */
function load(file: string): unknown {
  return createRequire(import.meta.url)(join(dir, file));
}

/** A webhook as the gateway sends it. */
function signed(body: string, secret = SECRET): Sent & { headers: Record<string, string> } {
  const time = String(Date.now());
  const [eventId, eventType] = ["0199", "payment.status_changed"];
  const bytes = Buffer.from(body);
  return {
    body,
    headers: {
      "x-request-time": time,
      "x-request-signature": signWebhook(secret, time, bytes),
      "x-request-signature-v2": signWebhookV2(secret, { time, eventId, eventType }, bytes),
      "x-event-id": eventId,
      "x-event-type": eventType,
    },
  };
}

function requestInit({ body, headers }: Sent): RequestInit {
  const length = String(Buffer.byteLength(body));
  return {
    method: "POST",
    body,
    headers: { ...headers, "content-type": "application/json", "content-length": length },
  };
}

async function sendTo(app: Express, sent: Sent): Promise<Answer> {
  const server = app.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return await answerOf(await fetch(`http://127.0.0.1:${port}/webhooks`, requestInit(sent)));
}

async function answerOf(response: Response): Promise<Answer> {
  return { status: response.status, text: await response.text() };
}
