// The banks that `--banks` and tests can add. Each is played by a simulator of its protocol, in a process
// with a ledger of its own. A bank in this table takes part in the sandbox, in chaos, in conformance and in
// the faults.
import { randomBytes } from "node:crypto";

/** The contract of a merchant with each bank: its simulator gets it, and the account is made with it. */
export function drawBankContracts() {
  const secret = () => randomBytes(24).toString("base64url");
  return {
    nestpay: { clientId: "990000001", name: "holdfast-api", password: secret(), storeKey: secret() },
    iyzico: { merchantId: "1000001", apiKey: `sandbox-${secret()}`, secretKey: `sandbox-${secret()}` },
    garanti: {
      merchantId: "7000679",
      terminalId: "30691298",
      password: secret(),
      refundPassword: secret(),
      storeKey: secret(),
    },
    akbank: {
      merchantSafeId: "2023090417500272654BD9A49CF07574",
      terminalSafeId: "2023090417500284633D137A249DBBEB",
      secretKey: secret(),
    },
    posnet: { mid: "6706598320", tid: "67005551", posnetId: "9644", encKey: secret() },
  };
}
export type BankContracts = ReturnType<typeof drawBankContracts>;
export type BankProtocol = keyof BankContracts;

type BankDefinition = {
  label: string;
  /** The mapping of `settle` that reads its files. */
  mapping: string;
  /** Its currencies, if it accepts fewer than other banks. */
  currencies?: string[];
  /** The parts of an account that depend on its protocol. */
  account(url: string, contracts: BankContracts): AccountAtBank;
  /** The body of the PUT with the address for the simulator's notifications, if it sends any. */
  notifications?(address: string, contracts: BankContracts): object;
};

type AccountAtBank = { settings: Record<string, unknown>; secrets: Record<string, string> };

export const banks: Record<BankProtocol, BankDefinition> = {
  nestpay: {
    label: "Nestpay",
    mapping: "nestpay",
    account: (url, { nestpay: { clientId, name, password, storeKey } }) => ({
      settings: {
        apiUrl: `${url}/fim/api`,
        gateUrl: `${url}/fim/est3Dgate`,
        clientId,
        // The simulator's day ends by a command, and not by a clock that a credit could wait for.
        creditBeforeDayEnd: true,
      },
      secrets: { apiUser: name, apiPassword: password, storeKey },
    }),
  },
  iyzico: {
    label: "iyzico",
    mapping: "iyzico",
    account: (url, { iyzico: { apiKey, secretKey } }) => ({
      settings: {
        url,
        // iyzico requires these fields of every payment, and a merchant's shortest request has none of them.
        defaults: {
          email: "orders@shop.example",
          identityNumber: "11111111111",
          ip: CALLER_IP,
          address: { line1: "Liman Caddesi 1", city: "Izmir", country: "Turkey", postalCode: "35000" },
          item: { name: "Order", category: "Goods", kind: "virtual" },
        },
      },
      secrets: { apiKey, secretKey },
    }),
    notifications: (address, { iyzico: { merchantId } }) => ({ merchantId, url: address }),
  },
  garanti: {
    label: "Garanti",
    // The simulators of Turkey's banks write the same statement.
    mapping: "nestpay",
    account: (url, { garanti: { merchantId, terminalId, password, refundPassword, storeKey } }) => ({
      settings: {
        apiUrl: `${url}/VPServlet`,
        gateUrl: `${url}/servlet/gt3dengine`,
        mode: "TEST",
        merchantId,
        terminalId,
        fallbackIp: CALLER_IP,
      },
      secrets: {
        provUser: "PROVAUT",
        provPassword: password,
        refundUser: "PROVRFN",
        refundPassword,
        storeKey,
      },
    }),
  },
  akbank: {
    label: "Akbank",
    mapping: "nestpay",
    account: (url, { akbank: { merchantSafeId, terminalSafeId, secretKey } }) => ({
      settings: {
        apiUrl: `${url}/api/v1/payment/virtualpos/transaction/process`,
        gateUrl: `${url}/securepay`,
        merchantSafeId,
        terminalSafeId,
      },
      secrets: { secretKey },
    }),
  },
  posnet: {
    label: "Yapı Kredi",
    mapping: "nestpay",
    currencies: ["TRY", "USD", "EUR"],
    account: (url, { posnet: { mid, tid, posnetId, encKey } }) => ({
      settings: {
        apiUrl: `${url}/PosnetWebService/XML`,
        gateUrl: `${url}/3DSWebService/YKBPaymentService`,
        merchantId: mid,
        terminalId: tid,
        posnetId,
        verifySign: true,
      },
      secrets: { encKey },
    }),
  },
};

/** The protocols that `--banks` knows, as accounts are made with them. */
export const bankProtocols = Object.keys(banks) as BankProtocol[];

/** The settings of a bank's simulator as environment variables. */
export function bankEnvironment(
  protocol: BankProtocol | "sim",
  settings: Record<string, string>,
): Record<string, string> {
  const prefix = protocol === "sim" ? "SIMULATOR" : `${protocol.toUpperCase()}_SIMULATOR`;
  const variables = Object.entries({ HOST: "127.0.0.1", ...settings });
  return Object.fromEntries(variables.map(([name, value]) => [`${prefix}_${name}`, value]));
}

/** The setting that has the bank know our contract. */
export function merchantsAt(protocol: BankProtocol, contracts: BankContracts) {
  return { MERCHANTS: JSON.stringify([contracts[protocol]]) };
}

/** An account of either mode, as POST /operator/acquirer-accounts takes it. */
export type AccountRequest = AccountAtBank & {
  protocol: BankProtocol | "sim";
  name: string;
  livemode?: boolean;
  default?: boolean;
  connectionsMax?: number;
  currencies: string[];
  lateArrivalSeconds?: number;
};

export function bankAccount(protocol: BankProtocol, url: string, contracts: BankContracts): AccountRequest {
  return {
    protocol,
    name: `${banks[protocol].label} simulator`,
    currencies: banks[protocol].currencies ?? ["TRY", "USD", "EUR", "GBP"],
    // After the simulators' `LATENESS` of 17 s no call takes effect.
    lateArrivalSeconds: 30,
    ...banks[protocol].account(url, contracts),
  };
}

const CALLER_IP = "203.0.113.1";
