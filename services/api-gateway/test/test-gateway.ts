import { GATEWAY_LISTENERS, type GatewayListener } from "@holdfast/contracts";
import { createCardOpener } from "@holdfast/sealing";
import { keyRingSetting } from "@holdfast/service-runtime";
import {
  captureLog,
  EVERY_ROLE,
  STAFF_AUDIENCE,
  startTestLink,
  startTestSystem,
} from "@holdfast/tests/support";
import { expect } from "vitest";
import type { ApiGateway } from "../src/service.ts";
import { http, type HttpAnswer, type HttpRequest } from "./http-client.ts";

export type TestGateway = Awaited<ReturnType<typeof startTestGateway>>;
export type TestMerchant = {
  merchantId: string;
  apiKey: string;
  apiSecret: string;
  headers: Record<string, string>;
};

/** A gateway of four listeners in this process, on its own migrated database and its own nats-server. */
export async function startTestGateway(settings: Record<string, string> = {}) {
  const { log, lines } = captureLog("api-gateway");
  const system = await startTestSystem({ services: GATEWAY_LISTENERS, running: [], log: () => log });
  const { database, nats, identity } = system;
  const databaseLink = await startTestLink(database.urls.gateway.merchant);
  const envOf = (listener: GatewayListener, changes: Record<string, string> = {}) => {
    const env = system.environment(listener);
    return {
      ...env,
      // The gateway's own user, over the link.
      DATABASE_URL: overLink(env.DATABASE_URL, databaseLink.url),
      ...settings,
      ...changes,
    };
  };
  const startListeners = async (changes: Record<string, string> = {}) => {
    const listeners = await Promise.all(
      GATEWAY_LISTENERS.map(async (listener) => await system.start(listener, envOf(listener, changes))),
    );
    const [merchant, operator, pages, staff] = listeners as [ApiGateway, ApiGateway, ApiGateway, ApiGateway];
    return {
      listeners,
      ports: {
        merchant: merchant.port,
        operator: operator.port,
        public: pages.port,
        staff: staff.port,
        /** The merchant API's health port. */
        health: merchant.healthPort,
      },
    };
  };
  const gateway = await startListeners();

  const merchantApi = (request: HttpRequest) => http(gateway.ports.merchant, request);
  const operatorApi = async ({
    role,
    ...request
  }: HttpRequest & {
    /** The only role of olga here, instead of every role; with `null` without a sign-in. */
    role?: string | null;
  }): Promise<HttpAnswer> => {
    const roles = role === undefined ? EVERY_ROLE : [role];
    const authorization = role !== null && `Bearer ${await identity.token({ claims: { roles } })}`;
    const headers = { ...(authorization && { authorization }), ...(request.body !== undefined && JSON_TYPE) };
    return await http(gateway.ports.operator, { ...request, headers: { ...headers, ...request.headers } });
  };
  /** Sends a request as mina, of a merchant's staff. */
  const staffApi = async ({
    merchantId,
    roles = ["owner"],
    claims = {},
    ...request
  }: HttpRequest & { merchantId: string; roles?: string[]; claims?: Record<string, unknown> }) => {
    const person = { aud: STAFF_AUDIENCE, sub: "mina", merchant_id: merchantId, roles, ...claims };
    const headers = {
      authorization: `Bearer ${await identity.token({ claims: person })}`,
      ...(request.body !== undefined && JSON_TYPE),
      ...request.headers,
    };
    return await http(gateway.ports.staff, { ...request, headers });
  };
  return {
    /** The environment of a process with this listener. */
    envOf,
    database,
    databaseLink,
    nats,
    /** All that the listeners log. */
    lines,
    /** The `lines` that requests left: a gateway that is slow may log of itself, too. */
    requestLines: () => lines.filter(({ msg }) => msg === "request"),
    identity,
    ports: gateway.ports,
    cardOpener: createCardOpener(
      keyRingSetting().parse(system.environment("gateway-merchant").CARD_SEALING_KEYS),
    ),
    merchantApi,
    operatorApi,
    staffApi,
    async createMerchant(body: Record<string, unknown> = {}): Promise<TestMerchant> {
      const answer = await operatorApi({
        method: "POST",
        path: "/operator/merchants",
        body: JSON.stringify({ name: "A shop", ...body }),
      });
      expect(answer.status).toBe(201);
      return merchantOf(answer);
    },
    /** Another of each listener in this process, on the same database and the same nats-server, until `stop`. */
    startAnother: async (changes: Record<string, string> = {}) => (await startListeners(changes)).ports,
    /** Another with this listener in this process, on the same database and the same nats-server, until `stop`. */
    startListenerProcess: (listener: GatewayListener, changes: Record<string, string> = {}) =>
      system.start(listener, envOf(listener, changes)),
    /** Another with this listener as a process of its own, on the same database and the same nats-server, until `stop`. */
    spawnAnother: (listener: GatewayListener, changes: Record<string, string> = {}) =>
      system.spawn(listener, envOf(listener, changes)),
    /** The gateway alone, as SIGTERM would. */
    stopGateway: async () => void (await Promise.all(gateway.listeners.map((listener) => listener.stop()))),
    async stop(): Promise<void> {
      await system.close();
      await databaseLink.close();
    },
  };
}

function overLink(databaseUrl: string, linkUrl: string): string {
  const url = new URL(databaseUrl);
  url.host = new URL(linkUrl).host;
  return url.href;
}

export const JSON_TYPE = { "content-type": "application/json" };

/** The sign-in data of a credential that the operator API answered with. */
export function merchantOf({ body }: HttpAnswer): TestMerchant {
  const { merchantId, apiKey, apiSecret } = body as TestMerchant;
  return { merchantId, apiKey, apiSecret, headers: { "x-api-key": apiKey, "x-api-secret": apiSecret } };
}
