import { ACCOUNT_ID, CAPTURED, DAY, MERCHANT_ID, NEXT, PAYMENT_ID } from "./shop-day.ts";

const PLAN = {
  commission: {
    ratePercent: "2.50",
    fixed: "0.25",
    currency: "TRY",
    rules: [
      {
        cardType: "CREDIT",
        domInt: "DOM",
        installmentsFrom: 2,
        installmentsTo: 12,
        ratePercent: "3.90",
        fixed: "0",
      },
    ],
    mayExceedAmount: true,
    refundsCommission: false,
  },
  rules: {
    largestAmounts: [{ currency: "TRY", amount: "5000.00" }],
    attemptsPerCard: { max: 5, windowSeconds: 3_600 },
    attemptsPerIp: { max: 20, windowSeconds: 60 },
    declineRate: { percent: 60, minimumCount: 20, windowSeconds: 3_600 },
  },
};
const ACCOUNT = {
  name: "Bank A, shop terminal",
  currencies: ["TRY"],
  businessDay: { timeZone: "Europe/Istanbul", cutOff: "23:00" },
  lateArrivalSeconds: 900,
  connectionsMax: 64,
  callsPerMinute: 600,
  default: true,
  settings: {
    apiUrl: "https://sanalpos.bank.example/fim/api",
    gateUrl: "https://sanalpos.bank.example/fim/est3Dgate",
    clientId: "990000001",
  },
};
const CREDENTIALS = { apiUser: "holdfast-api", apiPassword: "a-password", storeKey: "another-secret" };
const ROUTE = {
  currency: "TRY",
  domInt: "DOM",
  cardScheme: "VISA",
  loyaltyCode: "BONUS",
  installmentsFrom: 2,
  accountId: ACCOUNT_ID,
  retrySoftDeclines: false,
};

const PRICE = {
  loyaltyCode: "BONUS",
  installmentCount: 3,
  payer: "BUYER",
  ratePercent: "3.75",
  from: DAY,
  to: "2027-01-01",
};

/** The bodies by which operators onboard and look after merchants. */
export const OPERATOR_MERCHANT_REQUESTS: Readonly<Record<string, object>> = {
  createMerchant: { name: "Book Shop", ...PLAN },
  changeMerchant: {
    version: 1,
    name: "Book Shop",
    status: "ACTIVE",
    ...PLAN,
    branding: { color: "#7a1f5c" },
  },
  addCredential: { livemode: true, addresses: ["203.0.113.0/24"] },
  createAcquirerAccount: { protocol: "nestpay", ...ACCOUNT, secrets: CREDENTIALS, livemode: true },
  changeAcquirerAccount: { version: 1, ...ACCOUNT, secrets: CREDENTIALS, state: "ACTIVE" },
  confirmAcquirerAccount: { version: 1 },
  probeAcquirerAccount: { proposal: { version: 2, secrets: CREDENTIALS } },
  putInstallmentPrices: { version: 1, prices: [PRICE] },
  putMerchantRoutes: [ROUTE],
  confirmMerchantRoutes: { version: 2 },
  refuseOperator: { subject: "vera", reason: "Has left the company" },
  putLogLevel: { service: "payments", level: "debug", seconds: 600 },
};

const API_KEY = "hk_live_UiKXHeEydPHxF93RqPtUbs1k";
const NEW_CREDENTIAL = {
  merchantId: MERCHANT_ID,
  apiKey: API_KEY,
  livemode: true,
  apiSecret: "hs_N9dvbasEwzrKfN5lbiXx6uo7L5kjkfTh3jPrrDVChyI",
};
const LISTED_MERCHANT = {
  merchantId: MERCHANT_ID,
  name: "Book Shop",
  status: "ACTIVE",
  ...PLAN,
  version: 1,
  createdAt: `${DAY}T08:00:00.000Z`,
  credentials: [
    { apiKey: API_KEY, livemode: true, createdAt: `${DAY}T08:00:00.000Z`, issuedBy: "installation" },
  ],
};

const MERCHANT = { ...LISTED_MERCHANT, branding: { color: "#7a1f5c" } };

const PROPOSED_ACCOUNT = {
  accountId: ACCOUNT_ID,
  protocol: "nestpay",
  livemode: true,
  state: "PROPOSED",
  ...ACCOUNT,
  createdAt: `${DAY}T07:30:00.000Z`,
  proposal: {
    version: 1,
    proposedBy: "alice",
    proposedAt: `${DAY}T07:30:00.000Z`,
    ...ACCOUNT,
    state: "ACTIVE",
    secretsChange: true,
    installmentPricesChange: false,
  },
};
const ACTIVE_ACCOUNT = {
  accountId: ACCOUNT_ID,
  protocol: "nestpay",
  livemode: true,
  state: "ACTIVE",
  ...ACCOUNT,
  version: 1,
  createdAt: `${DAY}T07:30:00.000Z`,
  secretsSince: `${DAY}T07:35:00.000Z`,
};
const PROTOCOL = {
  protocol: "nestpay",
  currencies: ["TRY"],
  settings: {
    type: "object",
    properties: { clientId: { type: "string", description: "The number of the terminal." } },
    required: ["clientId"],
  },
  secrets: {
    type: "object",
    properties: { apiPassword: { type: "string", description: "The API user's password." } },
    required: ["apiPassword"],
  },
};
const PROPOSED_ROUTES = {
  routes: [],
  version: 1,
  proposal: { version: 2, proposedBy: "alice", proposedAt: `${DAY}T07:40:00.000Z`, routes: [ROUTE] },
};
const ROUTES = { routes: [ROUTE], version: 2 };

const REFUSED = {
  subject: "vera",
  reason: "Has left the company",
  refusedBy: "alice",
  refusedAt: `${DAY}T16:00:00.000Z`,
};
const LOUD = {
  service: "payments",
  change: {
    level: "debug",
    until: `${DAY}T12:10:00.000Z`,
    changedBy: "alice",
    changedAt: `${DAY}T12:00:00.000Z`,
  },
  replicas: [{ instance: "payments-7d9c:1", level: "debug", until: `${DAY}T12:10:00.000Z` }],
};

/** The answers of these operations when they succeed. */
export const OPERATOR_MERCHANT_ANSWERS: Readonly<Record<string, Readonly<Record<number, object>>>> = {
  createMerchant: { 201: { ...NEW_CREDENTIAL, name: "Book Shop" } },
  listMerchants: { 200: { items: [LISTED_MERCHANT], ...NEXT } },
  getMerchant: { 200: MERCHANT },
  changeMerchant: { 200: { ...MERCHANT, version: 2 } },
  addCredential: { 201: NEW_CREDENTIAL },
  createAcquirerAccount: { 201: PROPOSED_ACCOUNT },
  listAcquirerAccounts: { 200: { items: [ACTIVE_ACCOUNT] } },
  listAcquirerProtocols: { 200: { items: [PROTOCOL] } },
  getAcquirerAccount: { 200: ACTIVE_ACCOUNT },
  changeAcquirerAccount: {
    200: { ...ACTIVE_ACCOUNT, proposal: { ...PROPOSED_ACCOUNT.proposal, version: 2 } },
  },
  confirmAcquirerAccount: { 200: ACTIVE_ACCOUNT },
  probeAcquirerAccount: { 200: { result: "ok" } },
  getInstallmentPrices: { 200: { prices: [PRICE], version: 2 } },
  putInstallmentPrices: {
    200: {
      prices: [],
      version: 1,
      proposal: { version: 2, proposedBy: "alice", proposedAt: `${DAY}T07:45:00.000Z`, prices: [PRICE] },
    },
  },
  getMerchantRoutes: { 200: ROUTES },
  putMerchantRoutes: { 200: PROPOSED_ROUTES },
  confirmMerchantRoutes: { 200: ROUTES },
  refuseOperator: { 200: REFUSED, 201: REFUSED },
  listRefusedOperators: { 200: { items: [REFUSED], ...NEXT } },
  getLogLevels: { 200: { items: [LOUD] } },
  putLogLevel: { 200: LOUD },
  getAuditLog: {
    200: {
      items: [
        {
          service: "payments",
          sequence: 12,
          at: CAPTURED.capturedAt,
          actor: "alice",
          action: "payment.resolved",
          subject: PAYMENT_ID,
          detail: { merchantId: MERCHANT_ID, outcome: "SUCCESS" },
          hash: "943010b92b94b74ba68e80f18443a7a3278ecbb229d7770b61f8618c1300bfcb",
        },
      ],
      ...NEXT,
    },
  },
};
