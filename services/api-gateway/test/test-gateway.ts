import { createCardOpener } from "@holdfast/sealing";
import { keyRingSetting } from "@holdfast/service-runtime";
import { captureLog, EVERY_ROLE, startTestLink, startTestSystem } from "@holdfast/tests/support";
import { expect } from "vitest";
import { http, type HttpAnswer, type HttpRequest } from "./http-client.ts";

export type TestGateway = Awaited<ReturnType<typeof startTestGateway>>;
export type TestMerchant = {
  merchantId: string;
  apiKey: string;
  apiSecret: string;
  headers: Record<string, string>;
};

/** A gateway in this process, on its own migrated database and its own nats-server. */
export async function startTestGateway(settings: Record<string, string> = {}) {
  const { log, lines } = captureLog("api-gateway");
  const system = await startTestSystem({ services: ["api-gateway"], running: [], log: () => log });
  const { database, nats, identity } = system;
  const databaseLink = await startTestLink(database.urls.gateway.app);
  const env = system.environment("api-gateway", {
    DATABASE_URL: databaseLink.url,
    ...settings,
  });
  const gateway = await system.start("api-gateway", env);

  const merchantApi = (request: HttpRequest) => http(gateway.ports.merchant!, request);
  const operatorApi = async ({
    role,
    ...request
  }: HttpRequest & {
    /** The only one that olga has here, instead of every role; with `null` nobody signs in. */
    role?: string | null;
  }): Promise<HttpAnswer> => {
    const roles = role === undefined ? EVERY_ROLE : [role];
    const authorization = role !== null && `Bearer ${await identity.token({ claims: { roles } })}`;
    const headers = { ...(authorization && { authorization }), ...(request.body !== undefined && JSON_TYPE) };
    return await http(gateway.ports.operator!, { ...request, headers: { ...headers, ...request.headers } });
  };
  return {
    env,
    database,
    databaseLink,
    nats,
    lines,
    identity,
    ports: gateway.ports,
    cardOpener: createCardOpener(keyRingSetting().parse(env.CARD_SEALING_KEYS)),
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
    startAnother: async (changes: Record<string, string> = {}) =>
      (await system.start("api-gateway", { ...env, ...changes })).ports,
    /** Another gateway as a process of its own, on the same database and the same nats-server, until `stop`. */
    spawnAnother: (changes: Record<string, string> = {}) =>
      system.spawn("api-gateway", { ...env, ...changes }),
    /** The gateway alone, as SIGTERM would. */
    stopGateway: () => gateway.stop(),
    async stop(): Promise<void> {
      await system.close();
      await databaseLink.close();
    },
  };
}

export const JSON_TYPE = { "content-type": "application/json" };

/** What is needed to sign in with a credential the operator API answered with. */
export function merchantOf({ body }: HttpAnswer): TestMerchant {
  const { merchantId, apiKey, apiSecret } = body as TestMerchant;
  return { merchantId, apiKey, apiSecret, headers: { "x-api-key": apiKey, "x-api-secret": apiSecret } };
}
