import { type AnyConnector } from "@holdfast/acquirer";
import { iyzicoConnector, nestpayConnector, simulatorConnector } from "@holdfast/banks";
import { startBank } from "@holdfast/bank-simulator";
import { merchantsSchema } from "@holdfast/bank-simulator/nestpay";

export const ADAPTERS = ["sim", "nestpay", "iyzico"] as const;
export type AdapterName = (typeof ADAPTERS)[number];

/** A bank's simulator, and the settings and credentials of an account at it. */
export type BankProtocol = {
  connector: AnyConnector;
  /** @param hangMs when the bank drops a call that it never answers. */
  start: (ledgerFile: string, hangMs?: number) => Promise<{ url: string; close(): Promise<void> }>;
  settings: (url: string) => Record<string, unknown>;
  secrets: Record<string, string>;
  /** Refused credentials; empty for a bank without any. */
  wrong: Record<string, string>;
};

const STORE = { clientId: "990000001", name: "apiuser", password: "s3cret-pass", storeKey: "TEST1234" };
const KEYS = { apiKey: "sandbox-key", secretKey: "sandbox-secret", merchantId: "9001" };

export const BANK_PROTOCOLS: Record<AdapterName, BankProtocol> = {
  sim: {
    connector: simulatorConnector,
    start: (ledgerFile, hangMs) => startBank("sim", { ledgerFile, ...(hangMs && { hangMs }) }),
    settings: (url) => ({ url }),
    secrets: {},
    wrong: {},
  },
  nestpay: {
    connector: nestpayConnector,
    start: (ledgerFile, hangMs) =>
      startBank("nestpay", {
        ledgerFile,
        ...(hangMs && { hangMs }),
        merchants: merchantsSchema.parse([STORE]),
      }),
    // Its day ends when a test says so, and not by our clock, by which a part would wait for its end.
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
    start: (ledgerFile, hangMs) =>
      startBank("iyzico", { ledgerFile, ...(hangMs && { hangMs }), merchants: [KEYS] }),
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
