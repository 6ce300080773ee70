import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OPERATOR_ROLES } from "@holdfast/contracts";
import { freePort } from "@holdfast/sandbox/infrastructure";
import { createLogger, parseConfig } from "@holdfast/service-runtime";
import { exportJWK, generateKeyPair, importJWK, SignJWT, type JWK } from "jose";
import { onTestFinished } from "vitest";
import { configSchema } from "../../services/console/src/config.ts";
import { startConsole } from "../../services/console/src/service.ts";
import type { Person } from "../../tools/identity-provider/src/config.ts";
import {
  CLIENT_ID,
  OPERATOR_API_RESOURCE,
  startIdentityProvider,
} from "../../tools/identity-provider/src/start-identity-provider.ts";
import { STAFF_AUDIENCE, startTestSystem } from "../support/index.ts";

export { CLIENT_ID };
export const AUDIENCE = "holdfast-operator-api";
/** Seals the sessions of every console of the harness. */
export const SESSION_KEY = randomBytes(32);

export type ConsoleHarness = Awaited<ReturnType<typeof startConsoleHarness>>;

/** The gateway's listeners for people, and consoles and identity providers that a test starts and that end with it. */
export async function startConsoleHarness() {
  const providerPort = await freePort();
  const issuer = `http://127.0.0.1:${providerPort}`;
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: "k1", alg: "ES256", use: "sig" };
  const directory = await mkdtemp(join(tmpdir(), "holdfast-console-"));
  const system = await startTestSystem({
    services: ["gateway-operator", "gateway-staff", "payments"],
    running: [],
  });
  const tokens = await tokenSettings(join(directory, "jwks.json"), key, issuer);
  const start = async (listener: "gateway-operator" | "gateway-staff") =>
    `http://127.0.0.1:${((await system.start(listener, tokens)) as unknown as { port: number }).port}`;
  await system.start("payments", tokens);
  const [operatorApiUrl, staffApiUrl] = [await start("gateway-operator"), await start("gateway-staff")];
  const tokenOf = signer(key, issuer);
  const people = [
    { name: "alice", audience: "operator", roles: [...OPERATOR_ROLES] },
    {
      name: "mina",
      audience: "staff",
      roles: ["owner"],
      merchantId: await makeMerchant(operatorApiUrl, await tokenOf("olga")),
    },
  ] satisfies Person[];

  return {
    query: system.query,
    database: system.database,
    operatorApiUrl,
    providerPort,
    issuer,
    key: key as JWK,
    tokenOf,
    /** @returns the console's address. */
    startConsole: (settings: Record<string, string> = {}) =>
      startConsoleOf({
        DATABASE_URL: system.database.urls.console.app,
        OPERATOR_API_URL: operatorApiUrl,
        STAFF_API_URL: staffApiUrl,
        OIDC_ISSUER: issuer,
        ...settings,
      }),
    /** alice is an operator, and mina of a merchant's staff. */
    async startProvider(consoleUrl: string, audiences: { operator?: string; staff?: string } = {}) {
      const provider = await startIdentityProvider({
        IDENTITY_PROVIDER_PORT: providerPort,
        IDENTITY_PROVIDER_KEY: key as never,
        IDENTITY_PROVIDER_PEOPLE: people,
        IDENTITY_PROVIDER_AUDIENCE: audiences.operator ?? AUDIENCE,
        IDENTITY_PROVIDER_STAFF_AUDIENCE: audiences.staff ?? STAFF_AUDIENCE,
        IDENTITY_PROVIDER_CONSOLE_URL: consoleUrl,
      });
      onTestFinished(() => provider.close());
      return provider;
    },
    async close() {
      await system.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Signs tokens for the operator API as the provider does, with every role. */
function signer(key: JWK, issuer: string) {
  return async (subject: string, claims: Record<string, unknown> = {}) =>
    await new SignJWT({ roles: [...OPERATOR_ROLES], ...claims })
      .setProtectedHeader({ alg: "ES256", kid: "k1", typ: "at+jwt" })
      .setSubject(subject)
      .setIssuer(issuer)
      .setAudience(AUDIENCE)
      .setIssuedAt()
      .setExpirationTime("10m")
      .sign(await importJWK(key, "ES256"));
}

async function startConsoleOf(settings: Record<string, string>): Promise<string> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const environment = {
    LISTEN_HOST: "127.0.0.1",
    HEALTH_PORT: "0",
    CONSOLE_PORT: `${port}`,
    CONSOLE_URL: url,
    OIDC_CLIENT_ID: CLIENT_ID,
    OIDC_RESOURCE: OPERATOR_API_RESOURCE,
    CONSOLE_SESSION_KEYS: `k1:${SESSION_KEY.toString("base64")}`,
    ALLOW_PLAINTEXT: "postgres",
    DATABASE_CONNECTION_TIMEOUT: "60s",
    ...settings,
  };
  const config = parseConfig(configSchema, environment);
  const running = await startConsole(config, createLogger("console", "fatal"));
  onTestFinished(() => running.stop());
  return url;
}

async function tokenSettings(jwksFile: string, { d: _private, ...publicKey }: JWK, issuer: string) {
  await writeFile(jwksFile, JSON.stringify({ keys: [publicKey] }));
  return {
    OPERATOR_JWKS: jwksFile,
    OPERATOR_JWT_ISSUER: issuer,
    OPERATOR_JWT_AUDIENCE: AUDIENCE,
    STAFF_JWKS: jwksFile,
    STAFF_JWT_ISSUER: issuer,
    STAFF_JWT_AUDIENCE: STAFF_AUDIENCE,
  };
}

async function makeMerchant(operatorApiUrl: string, token: string): Promise<string> {
  const made = await fetch(`${operatorApiUrl}/operator/merchants`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ name: "Mina's" }),
  });
  return ((await made.json()) as { merchantId: string }).merchantId;
}
