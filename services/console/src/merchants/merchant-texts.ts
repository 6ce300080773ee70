import type { Language } from "@holdfast/html";
import { TURKISH } from "./merchant-texts-tr.ts";

const ENGLISH = {
  name: "Name",
  newMerchant: "New merchant",
  newMerchantHint:
    "It gets its first key and secret, for live mode. Add a plan, webhooks and further keys afterwards.",
  noMerchants: "There is no merchant yet. Create the first one below.",
  keys: "Keys",
  key: "Key",
  made: "Created",
  issuedBy: "Issued by",
  lastUsed: "Last used",
  expires: "Ends",
  addresses: "From addresses",
  anyAddress: "any",
  revoked: "Revoked",
  revoke: "Revoke",
  newKey: "New key",
  noKeys: "The merchant has no key. Create one below.",
  plan: "Commission plan",
  noPlan: "No plan: no commission is charged. Set one below.",
  rate: "Rate in percent",
  fixed: "Fixed part",
  currency: "Currency of the fixed part",
  refundsCommission: "A refund gives commission back",
  yes: "Yes",
  no: "No",
  savePlan: "Save plan",
  planRules: "Rules of the plan: the first one that fits applies",
  planRulesKept: "The rules stay as they are; the operator API changes them.",
  cardType: "Card type",
  domInt: "Domestic or foreign",
  installments: "Installments",
  merchantRules: "Merchant rules",
  noRules: "No rule limits which payments go to the bank. Rules are set with the operator API.",
  ruleNames: {
    largestAmounts: "Largest amount of a payment",
    attemptsPerCard: "Payments with one card",
    attemptsPerIp: "Payments from one IP address",
    declineRate: "Declined payments",
  },
  attemptsRule: (max: number, span: string) => `at most ${max} within ${span}`,
  declineRule: (percent: number, count: number, span: string) =>
    `no payments while ${percent} % of at least ${count} answers within ${span} are declines`,
  span: (seconds: number) =>
    seconds % 3_600 === 0
      ? `${seconds / 3_600} h`
      : seconds % 60 === 0
        ? `${seconds / 60} min`
        : `${seconds} s`,
  routes: "Routes to accounts at banks",
  noRoutes: "No route: every payment goes to the default account.",
  routesProposed: (who: string) => `${who} has proposed other routes; another person has to confirm them.`,
  accounts: "Accounts at banks",
  account: "Account",
  protocol: "Protocol",
  currencies: "Currencies",
  isDefault: "Default",
  noAccounts: "No account was created: all payments go to the installation's own account.",
  scheme: "Card scheme",
  loyalty: "Loyalty program",
  from: (count: number) => `from ${count}`,
  webhooks: "Webhooks",
  webhooksOf: (mode: string) => `Webhooks of mode: ${mode}`,
  url: "URL",
  urlHint: "https, at a public address. Its secret is shown once.",
  addWebhook: "Add endpoint",
  rotateSecret: "Rotate secret",
  activateSecret: "Activate new secret",
  testWebhook: "Send test",
  testFailed: "The endpoint has not accepted the test webhook",
  testFailedText: (error: string, status: number | undefined) =>
    `${error}${status === undefined ? "" : ` (${status})`}. Check the address and the receiver's log.`,
  deliveries: "Deliveries of this merchant",
  payments: "Payments of this merchant",
  suspend: "Suspend",
  activate: "Reactivate",
  change: "Change the merchant",
  confirmSuspend: (name: string) => `Suspend ${name}? Within 10 seconds all its requests are refused.`,
  confirmRotate: (url: string) => `Make a new secret for ${url}? It signs alone once it is activated.`,
  confirmRevoke: (key: string) => `Revoke ${key}? Within 10 seconds all requests with it are refused.`,
  copy: "Copy",
  copied: "Copied",
  secretTitle: "This secret is shown once",
  secretText:
    "Copy it now, and send it to the merchant in a secure way. Holdfast never shows it again. If it is lost, create a new one.",
  ownSecretText:
    "Copy it now, and put it where your server reads its secrets. Holdfast never shows it again. If it is lost, create a new one.",
  secretGone: "The secret was shown before",
  secretGoneText:
    "This form was sent twice, and the first answer had the secret. If nobody copied it, create a new one, and revoke or replace this one.",
  secret: "Secret",
  activatesAt: "Replaces the old secret at",
  toMerchant: "Go to the merchant",
  needName: "Write the merchant's name.",
};

export type MerchantTexts = typeof ENGLISH;

/** The texts of the pages about merchants. */
export const MERCHANT_TEXTS: Record<Language, MerchantTexts> = { en: ENGLISH, tr: TURKISH };
