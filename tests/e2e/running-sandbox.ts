import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  serviceDefinitions,
  startSandbox,
  type SandboxFile,
  type ServiceDefinition,
  type SandboxOptions,
} from "@holdfast/sandbox";
import { startOtlpReceiver, type OtlpReceiver } from "../support/index.ts";
import { startLedgerReceiver, type LedgerReceiver } from "../support/index.ts";
import { expect, onTestFinished, vi } from "vitest";

/** The whole product in real processes, as `npm start` runs it, with clients for its two APIs. */
export type RunningSandbox = {
  home: string;
  file: SandboxFile;
  merchant(credentials?: Credentials): Client;
  operator(index?: number): Client;
  stop(): Promise<void>;
  /** Stops it and deletes its data. */
  cleanUp(): Promise<void>;
};
export type Credentials = { apiKey: string; apiSecret: string };

export type Client = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>;
// oxlint-disable-next-line typescript/no-explicit-any -- a test reads bodies as a stranger would
export type Answer = { status: number; headers: Headers; text: string; body: any };

type ProductOptions = {
  home?: string;
  /** The first port; free ports by default. A bank at another port is another account. */
  portBase?: number;
  services?: ServiceDefinition[];
  programs?: SandboxOptions["programs"];
  /** Settings of every service, which go before its own. */
  settings?: Record<string, string>;
};

/** @param options as for `startProduct`; everything started ends with the test. */
export async function runSandbox(options: ProductOptions = {}): Promise<RunningSandbox> {
  const sandbox = await startProduct(options);
  onTestFinished(() => sandbox.cleanUp());
  return sandbox;
}

/** @param options.home an earlier run's home, to be used again; by default a new one. */
export async function startProduct({
  home,
  portBase = 0,
  services = serviceDefinitions,
  programs,
  settings = {},
}: ProductOptions = {}): Promise<RunningSandbox> {
  const dir = home ?? (await mkdtemp(join(tmpdir(), "holdfast-e2e-")));
  const sandbox = await startSandbox({
    home: dir,
    portBase,
    ...(programs && { programs }),
    services: services.map((service) => withSettings(service, settings)),
  });
  const { file } = sandbox;
  return {
    home: dir,
    file,
    merchant: ({ apiKey, apiSecret } = file.merchants[0]!) =>
      client(file.gatewayUrl, { "X-API-KEY": apiKey, "X-API-SECRET": apiSecret }),
    operator: (index = 0) =>
      client(file.operatorUrl, { Authorization: `Bearer ${file.operators[index]!.token}` }),
    stop: () => sandbox.stop(),
    async cleanUp() {
      await sandbox.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Patient, because a busy machine is not under test. */
function withSettings(service: ServiceDefinition, settings: Record<string, string>): ServiceDefinition {
  return {
    ...service,
    environment: (surroundings) => ({
      DATABASE_CONNECTION_TIMEOUT: "60s",
      ...service.environment(surroundings),
      ...settings,
    }),
  };
}

/** Sends its credentials with every request. */
export function client(baseUrl: string, credentials: Record<string, string>): Client {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        ...credentials,
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text === "" ? undefined : JSON.parse(text),
    };
  };
}

/** A collector for the next sandbox, with its settings; both end with the test. */
export async function collectTelemetry(settings: Record<string, string>): Promise<OtlpReceiver> {
  const collector = await startOtlpReceiver();
  onTestFinished(() => collector.close());
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url);
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  return collector;
}

/** A server for the first merchant's webhooks, turned on. */
export async function receiveWebhooks(sandbox: RunningSandbox): Promise<LedgerReceiver> {
  const { certFile, keyFile } = sandbox.file.receiver;
  const receiver = await startLedgerReceiver({ cert: readFileSync(certFile), key: readFileSync(keyFile) });
  onTestFinished(() => receiver.close());
  const webhook = `/operator/merchants/${sandbox.file.merchants[0]!.merchantId}/webhook`;
  expect((await sandbox.operator()("PUT", webhook, { url: receiver.url })).status).toBe(201);
  return receiver;
}

/** Sets the bank's behaviour at the next authorization. */
export async function bankWill({ file }: RunningSandbox, behaviour: string): Promise<void> {
  const { ok } = await fetch(`${file.acquirerUrl}/faults`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ operation: "authorize", behaviour, times: 1 }),
  });
  expect(ok).toBe(true);
}

let orders = 0;

/** A valid body of POST /api/pre-authorization for an order of its own, with `change` applied. */
export function preAuthorization(change: Record<string, unknown> = {}) {
  return {
    orderId: `order-${++orders}`,
    amount: 12.5,
    currency: "TRY",
    cardHolderName: "Ada Lovelace",
    pan: "4111111111111111",
    expiryMonth: "12",
    expiryYear: String((new Date().getUTCFullYear() + 2) % 100),
    cvv: "123",
    requestIp: "203.0.113.7",
    requestPort: 443,
    ...change,
  };
}
