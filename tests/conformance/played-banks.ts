import { join } from "node:path";
import {
  iyzicoConnector,
  nestpayConnector,
  simulatorConnector,
  type AnyConnector,
  type ProbedAcquirer,
} from "@holdfast/acquirer";
import { startAcquirerSimulator } from "@holdfast/acquirer-simulator";
import { startIyzicoSimulator } from "@holdfast/iyzico-simulator";
import { merchantsSchema, startNestpaySimulator } from "@holdfast/nestpay-simulator";

/** A bank that is played, as the suite for every adapter needs it. */
export type PlayedBank = {
  /** What an operator makes of it, without a name. */
  account: { protocol: AdapterName; settings: Record<string, unknown>; secrets: Record<string, string> };
  /** With the account's own credentials, or with others; `url` where the bank is not. */
  connect(changes?: { url?: string; wrongSecrets?: boolean }): ProbedAcquirer;
  /** What the bank does with its next call of an operation. */
  will(operation: string, behaviour: string): Promise<void>;
  closeDay(): Promise<void>;
  /** What the bank has done for a payment, as `operation outcome amount`. @param reference ours of the payment. */
  ledger(reference: string): Promise<string[]>;
  close(): Promise<void>;
};

export const ADAPTERS = ["sim", "nestpay", "iyzico"] as const;
export type AdapterName = (typeof ADAPTERS)[number];

export async function playBank(name: AdapterName, dir: string): Promise<PlayedBank> {
  const { connector, start, settings, secrets, wrong } = PROTOCOLS[name];
  const bank = await start(join(dir, `${name}.ndjson`));
  const post = async (path: string, body: object) => {
    const { ok, status } = await fetch(`${bank.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!ok) throw new Error(`${name} answers ${path} with ${status}`);
  };
  return {
    account: { protocol: name, settings: settings(bank.url), secrets },
    connect({ url = bank.url, wrongSecrets = false } = {}) {
      const account = {
        accountId: "account-1",
        version: 1,
        settings: connector.settings.parse(settings(url)),
        businessDay: { timeZone: "Europe/Istanbul", cutOff: "00:00" },
      };
      const wire = { connectionsMax: 16, connectTimeoutMs: 60_000, allowPlaintext: true };
      return connector.connect(account, connector.secrets.parse(wrongSecrets ? wrong : secrets), wire);
    },
    will: (operation, behaviour) => post("/faults", { operation, behaviour, times: 1 }),
    closeDay: () => post("/business-day/close", {}),
    async ledger(reference) {
      const text = await (await fetch(`${bank.url}/ledger`)).text();
      return text
        .split("\n")
        .filter((line) => line.replaceAll("-", "").includes(reference.replaceAll("-", "")))
        .map((line) => JSON.parse(line) as { operation: string; outcome: string; amountMinor: number })
        .map(({ operation, outcome, amountMinor }) => `${operation} ${outcome} ${amountMinor}`);
    },
    close: () => bank.close(),
  };
}

type Protocol = {
  connector: AnyConnector;
  start: (ledgerFile: string) => Promise<{ url: string; close(): Promise<void> }>;
  settings: (url: string) => Record<string, unknown>;
  secrets: Record<string, string>;
  /** Where there are credentials to be wrong. */
  wrong: Record<string, string>;
};

const STORE = { clientId: "990000001", name: "apiuser", password: "s3cret-pass", storeKey: "TEST1234" };
const KEYS = { apiKey: "sandbox-key", secretKey: "sandbox-secret", merchantId: "9001" };
/** When the bank drops a call that it never answers. */
const hangMs = 500;

const PROTOCOLS: Record<AdapterName, Protocol> = {
  sim: {
    connector: simulatorConnector,
    start: (ledgerFile) => startAcquirerSimulator({ ledgerFile, hangMs }),
    settings: (url) => ({ url }),
    secrets: {},
    wrong: {},
  },
  nestpay: {
    connector: nestpayConnector,
    start: (ledgerFile) =>
      startNestpaySimulator({ ledgerFile, hangMs, merchants: merchantsSchema.parse([STORE]) }),
    settings: (url) => ({
      apiUrl: `${url}/fim/api`,
      gateUrl: `${url}/fim/est3Dgate`,
      clientId: STORE.clientId,
      creditBeforeDayEnd: true,
    }),
    secrets: { apiUser: STORE.name, apiPassword: STORE.password, storeKey: STORE.storeKey },
    wrong: { apiUser: STORE.name, apiPassword: "another", storeKey: STORE.storeKey },
  },
  iyzico: {
    connector: iyzicoConnector,
    start: (ledgerFile) => startIyzicoSimulator({ ledgerFile, hangMs, merchants: [KEYS] }),
    settings: (url) => ({
      url,
      defaults: {
        email: "orders@shop.example",
        identityNumber: "11111111111",
        ip: "203.0.113.1",
        address: { line1: "Harbour Street 1", city: "Izmir", country: "Turkey" },
        item: { name: "Order", category: "Goods", kind: "virtual" },
      },
    }),
    secrets: { apiKey: KEYS.apiKey, secretKey: KEYS.secretKey },
    wrong: { apiKey: KEYS.apiKey, secretKey: "another" },
  },
};
