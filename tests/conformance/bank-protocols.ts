import { type AnyConnector } from "@holdfast/acquirer";
import { garantiConnector, iyzicoConnector, nestpayConnector, simulatorConnector } from "@holdfast/banks";
import { startBank } from "@holdfast/bank-simulator";
import { merchantsSchema as garantiMerchants } from "@holdfast/bank-simulator/garanti";
import { merchantsSchema } from "@holdfast/bank-simulator/nestpay";

export const ADAPTERS = ["sim", "nestpay", "iyzico", "garanti"] as const;
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
const TERMINAL = { merchantId: "7000679", terminalId: "30691298", storeKey: "12345678" };
const USERS = { password: "123qweASD/", refundPassword: "s3cret-pass" };
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
  garanti: {
    connector: garantiConnector,
    start: (ledgerFile, hangMs) =>
      startBank("garanti", {
        ledgerFile,
        ...(hangMs && { hangMs }),
        merchants: garantiMerchants.parse([{ ...TERMINAL, ...USERS }]),
      }),
    settings: (url) => ({
      apiUrl: `${url}/VPServlet`,
      gateUrl: `${url}/servlet/gt3dengine`,
      mode: "TEST",
      merchantId: TERMINAL.merchantId,
      terminalId: TERMINAL.terminalId,
      fallbackIp: "203.0.113.1",
    }),
    secrets: garantiSecrets(USERS.password),
    wrong: garantiSecrets("another"),
  },
};

function garantiSecrets(provPassword: string) {
  const users = { provUser: "PROVAUT", provPassword, refundUser: "PROVRFN" };
  return { ...users, refundPassword: USERS.refundPassword, storeKey: TERMINAL.storeKey };
}
