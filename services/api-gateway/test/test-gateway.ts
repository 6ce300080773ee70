import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCardOpener } from "@holdfast/sealing";
import { keyRingSetting, parseConfig } from "@holdfast/service-runtime";
import { createTestDatabase, startTestNats } from "@holdfast/tests/support";
import { expect } from "vitest";
import { configSchema } from "../src/config.ts";
import { startApiGateway, type ApiGateway } from "../src/service.ts";
import { captureLog } from "./captured-log.ts";
import { http, type HttpAnswer, type HttpRequest } from "./http-client.ts";
import { startTcpProxy } from "./tcp-proxy.ts";
import { AUDIENCE, createOperatorIdentity, ISSUER } from "./operator-identity.ts";

export type TestGateway = Awaited<ReturnType<typeof startTestGateway>>;
export type TestMerchant = {
  merchantId: string;
  apiKey: string;
  apiSecret: string;
  headers: Record<string, string>;
};

/** A gateway in this process, on its own migrated database and its own nats-server. */
export async function startTestGateway(settings: Record<string, string> = {}) {
  const [database, nats, identity] = await Promise.all([
    createTestDatabase(),
    startTestNats(),
    createOperatorIdentity(),
  ]);
  const databaseUrl = new URL(database.urls.gateway.app);
  const databaseProxy = await startTcpProxy(databaseUrl.hostname, Number(databaseUrl.port));
  databaseUrl.host = `127.0.0.1:${databaseProxy.port}`;
  const directory = await mkdtemp(join(tmpdir(), "holdfast-gateway-"));
  const jwksFile = join(directory, "jwks.json");
  await writeFile(jwksFile, JSON.stringify(identity.jwks));
  const sealingKeys = `k1:${randomBytes(32).toString("base64")}`;
  const env = {
    LISTEN_HOST: "127.0.0.1",
    HEALTH_PORT: "0",
    MERCHANT_API_PORT: "0",
    OPERATOR_API_PORT: "0",
    PUBLIC_PAGES_PORT: "0",
    PUBLIC_URL: "http://pay.example.test",
    THREE_DS_STATE_KEYS: `s1:${randomBytes(32).toString("base64")}`,
    DATABASE_URL: databaseUrl.href,
    // A busy machine is not what a test is about.
    DATABASE_CONNECTION_TIMEOUT: "60s",
    NATS_URL: nats.url,
    CARD_SEALING_KEYS: sealingKeys,
    CREDENTIAL_PEPPERS: `p1:${randomBytes(32).toString("base64")}`,
    OPERATOR_JWKS: jwksFile,
    OPERATOR_JWT_ISSUER: ISSUER,
    OPERATOR_JWT_AUDIENCE: AUDIENCE,
    DRAIN_TIMEOUT: "1s",
    // So that no test meets a limit it is not about.
    RATE_LIMIT_PER_SECOND: "1000000",
    FAILED_SIGN_INS_PER_MINUTE_PER_IP: "1000000",
    FAILED_SIGN_INS_PER_MINUTE_PER_KEY: "1000000",
    ...settings,
  };
  const { log, lines } = captureLog();
  const gateway = await startApiGateway(parseConfig(configSchema, env), log);
  const others: ApiGateway[] = [];
  let stopped: Promise<void> | undefined;
  const stopGateway = () => (stopped ??= gateway.stop());

  const merchantApi = (request: HttpRequest) => http(gateway.ports.merchant!, request);
  const operatorApi = async ({
    role = "admin",
    ...request
  }: HttpRequest & { role?: string | null }): Promise<HttpAnswer> => {
    const authorization = role && `Bearer ${await identity.token({ claims: { roles: [role] } })}`;
    const headers = { ...(authorization && { authorization }), ...(request.body !== undefined && JSON_TYPE) };
    return await http(gateway.ports.operator!, { ...request, headers: { ...headers, ...request.headers } });
  };
  return {
    env,
    database,
    databaseProxy,
    nats,
    lines,
    identity,
    ports: gateway.ports,
    cardOpener: createCardOpener(keyRingSetting().parse(sealingKeys)),
    merchantApi,
    operatorApi,
    async createMerchant(body: Record<string, unknown> = {}): Promise<TestMerchant> {
      const answer = await operatorApi({
        method: "POST",
        path: "/operator/merchants",
        body: JSON.stringify({ name: "A shop", ...body }),
      });
      expect(answer.status).toBe(201);
      return merchantOf(answer);
    },
    /** Another gateway in this process, on the same database and the same nats-server, until `stop`. */
    async startAnother(changes: Record<string, string> = {}) {
      const another = await startApiGateway(parseConfig(configSchema, { ...env, ...changes }), log);
      others.push(another);
      return another.ports;
    },
    /** The gateway alone, as SIGTERM would. */
    stopGateway,
    async stop(): Promise<void> {
      await Promise.all([stopGateway(), ...others.map((other) => other.stop())]);
      databaseProxy.close();
      await Promise.all([nats.stop(), database.drop(), rm(directory, { recursive: true })]);
    },
  };
}

export const JSON_TYPE = { "content-type": "application/json" };

/** What is needed to sign in with a credential the operator API answered with. */
export function merchantOf({ body }: HttpAnswer): TestMerchant {
  const { merchantId, apiKey, apiSecret } = body as TestMerchant;
  return { merchantId, apiKey, apiSecret, headers: { "x-api-key": apiKey, "x-api-secret": apiSecret } };
}
