// How often a page asks the gateway: at most four times, so that a page stays as quick as what it shows is long.
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, request as forward } from "node:http";
import type { AddressInfo } from "node:net";
import { OPERATOR_ROLES, STAFF_ROLES } from "@holdfast/contracts";
import { freePort } from "@holdfast/sandbox/infrastructure";
import { createDatabase, createLogger, createPool, parseConfig } from "@holdfast/service-runtime";
import { afterAll, beforeAll, expect, test } from "vitest";
import { configSchema } from "../../services/console/src/config.ts";
import type { ConsoleDatabase } from "../../services/console/src/database.ts";
import { PAGES } from "../../services/console/src/http/console-app.ts";
import { startConsole } from "../../services/console/src/service.ts";
import { SESSION_COOKIE } from "../../services/console/src/session/cookies.ts";
import { insertSession } from "../../services/console/src/session/session-queries.ts";
import { startStaffSystem } from "../security/staff-system.ts";
import { STAFF_AUDIENCE } from "../support/index.ts";

const CALLS_MAX = 4;
const sealing = randomBytes(32);
const keys = { activeId: "k1", keys: new Map([["k1", sealing]]) };

type Ask = (person: "operator" | "staff", path: string) => Promise<{ status: number; calls: string[] }>;
let ask: Ask;
let paths: Record<string, string>;
let close: (() => Promise<void>)[] = [];
beforeAll(async () => void ({ ask, paths, close } = await setUp()));
afterAll(async () => {
  for (const each of close) await each();
});

/** Passes requests on to the gateway, and writes down which. */
async function startRelay(port: number, calls: string[]) {
  const server = createServer((incoming, response) => {
    calls.push(`${incoming.method} ${incoming.url!.split("?", 1)[0]}`);
    const { method, headers, url: path } = incoming;
    const passed = forward({ port, host: "127.0.0.1", method, headers, path }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(passed);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

async function setUp() {
  const system = await startStaffSystem();
  const calls: string[] = [];
  const operators = await startRelay(system.operators.port, calls);
  const staff = await startRelay(system.staff.port, calls);
  const port = await freePort();
  const environment = {
    DATABASE_URL: system.database.urls.console.app,
    LISTEN_HOST: "127.0.0.1",
    HEALTH_PORT: "0",
    CONSOLE_PORT: `${port}`,
    CONSOLE_URL: `http://127.0.0.1:${port}`,
    OPERATOR_API_URL: operators.url,
    STAFF_API_URL: staff.url,
    OIDC_ISSUER: "http://127.0.0.1:9",
    OIDC_CLIENT_ID: "console",
    CONSOLE_SESSION_KEYS: `k1:${sealing.toString("base64")}`,
    ALLOW_PLAINTEXT: "postgres",
    DATABASE_CONNECTION_TIMEOUT: "60s",
  };
  const config = parseConfig(configSchema, environment);
  const console = await startConsole(config, createLogger("console", "error"));
  const { merchantId, things } = system.shops.mine;
  const sessions = {
    operator: await signIn(system.database.urls.console.app, await system.identity.token(), undefined),
    staff: await signIn(
      system.database.urls.console.app,
      await system.identity.token({
        claims: { aud: STAFF_AUDIENCE, sub: "mina", merchant_id: merchantId, roles: ["owner"] },
      }),
      merchantId,
    ),
  };
  const asked: Ask = async (person, path) => {
    calls.length = 0;
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      redirect: "manual",
      headers: { Cookie: `${SESSION_COOKIE}=${sessions[person]}` },
    });
    await response.text();
    return { status: response.status, calls: [...calls] };
  };
  return {
    ask: asked,
    paths: {
      "/": "/",
      "/search": `/search?q=${things.payment}`,
      "/unresolved": "/unresolved",
      "/payments": "/payments",
      "/payments/:paymentId": `/payments/${things.payment}`,
      "/refunds": "/refunds",
      "/refunds/:refundId": `/refunds/${things.refund}`,
      "/deliveries": `/deliveries?merchantId=${merchantId}`,
      "/deliveries/:eventId": `/deliveries/${things.event}`,
      "/merchants": "/merchants",
      "/merchants/:merchantId": `/merchants/${merchantId}`,
      "/settlement": "/settlement",
      "/payment-links": "/payment-links",
      "/payment-links/:paymentLinkId": `/payment-links/${things.link}`,
      "/audit": "/audit",
    },
    close: [() => console.stop(), operators.stop, staff.stop, () => system.close()],
  };
}

/** @returns the id that the browser would have. */
async function signIn(url: string, accessToken: string, merchantId: string | undefined): Promise<string> {
  const log = createLogger("test", "error");
  const pool = createPool({
    url,
    connectionsMax: 1,
    connectionTimeoutMs: 60_000,
    applicationName: "test",
    log,
  });
  const id = randomUUID();
  const later = new Date(Date.now() + 3_600_000);
  await insertSession(createDatabase<ConsoleDatabase>(pool), keys, {
    id,
    subject: merchantId === undefined ? "olga" : "mina",
    roles: new Set(merchantId === undefined ? OPERATOR_ROLES : []),
    ...(merchantId !== undefined && { staff: { merchantId, roles: new Set(STAFF_ROLES) } }),
    accessToken,
    idToken: "",
    providerSession: undefined,
    authenticatedAt: new Date(),
    accessEndsAt: later,
    endsAt: later,
  });
  await pool.end();
  return id;
}

/** Shown by what a bank's file has brought, by another page's rows, or as a file of its own. */
const ELSEWHERE = /csv|print|code\.svg|imports|statements|body/;
const pathsFor = (person: "operator" | "staff") => [
  ...new Set(
    PAGES.filter(({ method, audience = "operators", path }) => {
      const isFor = audience === "everybody" || (audience === "staff") === (person === "staff");
      return method === "GET" && isFor && !ELSEWHERE.test(path);
    }).map(({ path }) => path),
  ),
];

test.each(["operator", "staff"] as const)("no page of %s asks more than four times", async (person) => {
  for (const page of pathsFor(person)) {
    expect(paths, page).toHaveProperty([page]);
    const { status, calls } = await ask(person, paths[page]!);
    expect([200, 303], `${page} ${calls.join()}`).toContain(status);
    expect(calls.length, `${page}: ${calls.join(", ")}`).toBeLessThanOrEqual(CALLS_MAX);
  }
});
