// Signing in where the identity provider is away, or gives tokens that are not for this gateway.
import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { approveOperatorRefund, createMerchant } from "@holdfast/contracts";
import { openAtRest } from "@holdfast/sealing";
import { createLogger, parseConfig } from "@holdfast/service-runtime";
import { freePort } from "@holdfast/sandbox/infrastructure";
import { decodeJwt, exportJWK, generateKeyPair, importJWK, SignJWT } from "jose";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { configSchema } from "../../services/console/src/config.ts";
import {
  createOperatorApi,
  OperatorApiProblemError,
  operatorApiWire,
} from "../../services/console/src/operator-api/operator-api.ts";
import { startConsole } from "../../services/console/src/service.ts";
import {
  CLIENT_ID,
  OPERATOR_API_RESOURCE,
  startIdentityProvider,
} from "../../tools/identity-provider/src/start-identity-provider.ts";
import { startTestSystem, type TestSystem } from "../support/index.ts";

const AUDIENCE = "holdfast-operator-api";
const sessionKey = randomBytes(32);
const sessionKeys = { activeId: "k1", keys: new Map([["k1", sessionKey]]) };

let system: TestSystem;
let operatorApiUrl: string;
let providerPort: number;
let directory: string;
let key: Record<string, unknown>;
beforeAll(async () => {
  providerPort = await freePort();
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), kid: "k1", alg: "ES256", use: "sig" };
  key = jwk;
  directory = await mkdtemp(join(tmpdir(), "holdfast-sign-in-"));
  const jwksFile = join(directory, "jwks.json");
  const { d: _private, ...publicKey } = jwk;
  await writeFile(jwksFile, JSON.stringify({ keys: [publicKey] }));
  const tokens = {
    OPERATOR_JWKS: jwksFile,
    OPERATOR_JWT_ISSUER: `http://127.0.0.1:${providerPort}`,
    OPERATOR_JWT_AUDIENCE: AUDIENCE,
    OPERATOR_TOKEN_AGE_MAX: "1h",
  };
  system = await startTestSystem({ services: ["gateway-operator"], running: [] });
  const gateway = await system.start("gateway-operator", tokens);
  operatorApiUrl = `http://127.0.0.1:${(gateway as unknown as { port: number }).port}`;
});
afterAll(async () => {
  await system?.close();
  await rm(directory, { recursive: true, force: true });
});

/** @returns the console's address. */
async function startTestConsole(issuerPort = providerPort): Promise<string> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const environment = {
    DATABASE_URL: system.database.urls.console.app,
    LISTEN_HOST: "127.0.0.1",
    HEALTH_PORT: "0",
    CONSOLE_PORT: `${port}`,
    CONSOLE_URL: url,
    OPERATOR_API_URL: operatorApiUrl,
    OIDC_ISSUER: `http://127.0.0.1:${issuerPort}`,
    OIDC_CLIENT_ID: CLIENT_ID,
    OIDC_RESOURCE: OPERATOR_API_RESOURCE,
    CONSOLE_SESSION_KEYS: `k1:${sessionKey.toString("base64")}`,
    ALLOW_PLAINTEXT: "postgres",
    DATABASE_CONNECTION_TIMEOUT: "60s",
  };
  const console = await startConsole(
    parseConfig(configSchema, environment),
    createLogger("console", "error"),
  );
  onTestFinished(() => console.stop());
  return url;
}

async function startProvider(consoleUrl: string, audience: string): Promise<void> {
  const provider = await startIdentityProvider({
    IDENTITY_PROVIDER_PORT: providerPort,
    IDENTITY_PROVIDER_KEY: key as never,
    IDENTITY_PROVIDER_PEOPLE: [{ name: "alice", audience: "operator", roles: ["viewer"] }],
    IDENTITY_PROVIDER_AUDIENCE: audience,
    IDENTITY_PROVIDER_STAFF_AUDIENCE: "staff",
    IDENTITY_PROVIDER_CONSOLE_URL: consoleUrl,
  });
  onTestFinished(() => provider.close());
}

const REQUESTS_MAX = 30;

/** A browser that goes wherever it is led, and clicks on alice where it is asked who it is. */
async function visit(url: string): Promise<{ status: number; text: string; url: string }> {
  const jar = new Map<string, string>();
  let [next, method] = [new URL(url), "GET"];
  for (let requests = 0; requests < REQUESTS_MAX; requests++) {
    const response = await fetch(next, {
      method,
      redirect: "manual",
      headers: { Cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(method === "POST" && { body: new URLSearchParams({ person: "alice" }) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      if (value === "" || /max-age=0\b/i.test(cookie)) jar.delete(name!);
      else jar.set(name!, value!);
    }
    const location = response.headers.get("location");
    const text = await response.text();
    if (location !== null) [next, method] = [new URL(location, next), "GET"];
    else if (next.pathname.startsWith("/interaction/") && method === "GET") method = "POST";
    else return { status: response.status, text, url: next.href };
  }
  throw new Error(`after ${REQUESTS_MAX} requests it still leads on, now to ${next.href}`);
}

test("whoever signs in at the provider of this gateway sees the page that they asked for", async () => {
  const consoleUrl = await startTestConsole();
  await startProvider(consoleUrl, AUDIENCE);
  const page = await visit(`${consoleUrl}/merchants`);
  expect([page.status, page.url]).toEqual([200, `${consoleUrl}/merchants`]);
  expect(page.text).toContain("There is no merchant yet");
});

test("a provider whose tokens are for another audience leads to a page with a way back, and to no loop", async () => {
  const consoleUrl = await startTestConsole();
  await startProvider(consoleUrl, "another-gateway");
  const page = await visit(`${consoleUrl}/merchants`);
  expect(page.status).toBe(502);
  expect(page.text).toContain("The gateway does not accept this sign-in");
  expect(page.text).toContain(`<a class="button" href="/merchants">`);
});

test("while the provider is away the sign-in is a page with a way back", async () => {
  const consoleUrl = await startTestConsole(await freePort());
  const page = await visit(`${consoleUrl}/merchants`);
  expect(page.status).toBe(503);
  expect(page.text).toContain("The identity provider does not answer");
  expect(page.text).toContain(`<a class="button" href="/login`);
});

test("a form whose token the gateway does not take is no refusal to show on it: the person signs in again", async () => {
  const wire = operatorApiWire(operatorApiUrl, 30_000, undefined);
  onTestFinished(() => wire.dispatcher.close());
  const api = createOperatorApi(wire, "no token");
  const change = api.change(createMerchant, { key: randomUUID(), body: { name: "Not made" } });
  await expect(change).rejects.toThrow(OperatorApiProblemError);
});

test("a decision for which the gateway asks for a younger sign-in is not made, and can be after one", async () => {
  const wire = operatorApiWire(operatorApiUrl, 30_000, undefined);
  onTestFinished(() => wire.dispatcher.close());
  const nowS = Math.floor(Date.now() / 1_000);
  const decide = async (signedInAt: number) => {
    const token = await new SignJWT({ roles: ["approver"], auth_time: signedInAt })
      .setProtectedHeader({ alg: "ES256", kid: "k1", typ: "at+jwt" })
      .setSubject("alice")
      .setIssuer(`http://127.0.0.1:${providerPort}`)
      .setAudience(AUDIENCE)
      .setIssuedAt(nowS)
      .setExpirationTime(nowS + 600)
      .sign(await importJWK(key, "ES256"));
    const path = { refundId: randomUUID() };
    return await createOperatorApi(wire, token).change(approveOperatorRefund, {
      key: randomUUID(),
      path,
      body: {},
    });
  };
  const refused = await decide(nowS - 1_000);
  expect(refused).toMatchObject({
    done: false,
    problem: { code: "insufficient_user_authentication", maxAge: 900 },
  });
  // Nobody serves refunds here: it goes as far as the bus.
  expect(await decide(nowS)).toMatchObject({ done: false, problem: { code: "service_unavailable" } });
});

test("the sandbox's provider says in access tokens, too, when a person has signed in", async () => {
  const consoleUrl = await startTestConsole();
  await startProvider(consoleUrl, AUDIENCE);
  const page = await visit(`${consoleUrl}/merchants`);
  expect(page.status).toBe(200);
  const sealed = await system.query<{ sealed: Buffer; session_hash: Buffer }>(
    "select sealed, session_hash from console.session order by created_at desc limit 1",
  );
  const owner = `console session ${sealed[0]!.session_hash.toString("hex")}`;
  const { accessToken } = JSON.parse(openAtRest(sessionKeys, owner, sealed[0]!.sealed)) as Record<
    string,
    string
  >;
  expect(decodeJwt(accessToken!)).toMatchObject({ sub: "alice", auth_time: expect.any(Number) });
});
