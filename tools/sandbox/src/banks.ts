// The banks that `--banks` adds: each is played by a simulator of its protocol, in a process with a ledger of its own.

/** The protocols that `--banks` knows, as accounts are made with them. */
export const bankProtocols = ["nestpay", "iyzico"] as const;
export type BankProtocol = (typeof bankProtocols)[number];

/** The contract of a merchant with its bank: the simulator gets it, and the account is made with it. */
export type BankContracts = {
  nestpay: { clientId: string; user: string; password: string; storeKey: string };
  iyzico: { merchantId: string; apiKey: string; secretKey: string };
};

export type BankDefinition = {
  /** The name of the process and of its log. */
  name: string;
  merchantName: string;
  /** The simulator's settings. */
  environment(place: { port: number; ledgerFile: string }, contracts: BankContracts): Record<string, string>;
  /** The body of POST /operator/acquirer-accounts. */
  account(url: string, contracts: BankContracts): BankAccountRequest;
  /**
   * The PUT with the address for the simulator's notifications, if it sends any. @param address that of the account.
   */
  notifications?(address: string, contracts: BankContracts): { path: string; body: object };
};

export type BankAccountRequest = AccountRequest & { protocol: BankProtocol; lateArrivalSeconds: number };

/** An account of either mode. */
export type AccountRequest = {
  protocol: BankProtocol | "sim";
  name: string;
  livemode?: boolean;
  default?: boolean;
  connectionsMax?: number;
  currencies: string[];
  settings: Record<string, unknown>;
  secrets: Record<string, string>;
};

export const banks: Record<BankProtocol, BankDefinition> = {
  nestpay: {
    name: "nestpay-simulator",
    merchantName: "Nestpay Shop",
    environment: ({ port, ledgerFile }, { nestpay: { clientId, user, password, storeKey } }) => ({
      NESTPAY_SIMULATOR_HOST: "127.0.0.1",
      NESTPAY_SIMULATOR_PORT: `${port}`,
      NESTPAY_SIMULATOR_LEDGER_FILE: ledgerFile,
      NESTPAY_SIMULATOR_MERCHANTS: JSON.stringify([{ clientId, name: user, password, storeKey }]),
    }),
    account: (url, { nestpay: { clientId, user, password, storeKey } }) => ({
      protocol: "nestpay",
      name: "Nestpay simulator",
      currencies: ["TRY", "USD", "EUR", "GBP"],
      lateArrivalSeconds: LATE_ARRIVAL_SECONDS,
      settings: {
        apiUrl: `${url}/fim/api`,
        gateUrl: `${url}/fim/est3Dgate`,
        clientId,
        // The simulator's day ends by a command, and not by a clock that a credit could wait for.
        creditBeforeDayEnd: true,
      },
      secrets: { apiUser: user, apiPassword: password, storeKey },
    }),
  },
  iyzico: {
    name: "iyzico-simulator",
    merchantName: "iyzico Shop",
    environment: ({ port, ledgerFile }, { iyzico }) => ({
      IYZICO_SIMULATOR_HOST: "127.0.0.1",
      IYZICO_SIMULATOR_PORT: `${port}`,
      IYZICO_SIMULATOR_LEDGER_FILE: ledgerFile,
      IYZICO_SIMULATOR_MERCHANTS: JSON.stringify([iyzico]),
    }),
    account: (url, { iyzico: { apiKey, secretKey } }) => ({
      protocol: "iyzico",
      name: "iyzico simulator",
      currencies: ["TRY", "USD", "EUR", "GBP"],
      lateArrivalSeconds: LATE_ARRIVAL_SECONDS,
      settings: {
        url,
        // iyzico demands them of every payment, and the shortest request of a merchant has none of them.
        defaults: {
          email: "orders@shop.example",
          identityNumber: "11111111111",
          ip: "203.0.113.1",
          address: { line1: "Liman Caddesi 1", city: "Izmir", country: "Turkey", postalCode: "35000" },
          item: { name: "Order", category: "Goods", kind: "virtual" },
        },
      },
      secrets: { apiKey, secretKey },
    }),
    notifications: (address, { iyzico: { merchantId } }) => ({
      path: "/notifications",
      body: { merchantId, url: address },
    }),
  },
};

/** Beyond the simulators' `LATENESS` of 17 s nothing takes effect any more. */
const LATE_ARRIVAL_SECONDS = 30;
