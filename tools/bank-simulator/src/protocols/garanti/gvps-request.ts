import type { Rule } from "../../core/index.ts";
import type { Merchant, Modes } from "./config.ts";
import { PAYING_USER, REFUNDING_USER, requestHash, securityOf, type Field } from "./hashes.ts";
import { TYPES, type Entry } from "./ledger-line.ts";

/** The card of a payment, or the authentication in its place after 3-D Secure. */
export type PaymentCard =
  | { kind: "pan"; pan: string; expiry: string; cvv: string }
  | { kind: "md"; md: string; xid: string; eci: string; cavv: string };

/** A request that moves money. */
export type MoneyRequest = {
  operation: Entry["operation"];
  /** Empty if the bank has to generate one. */
  orderId: string;
  /** The movement that a follow-up is about; empty if it names the order alone. */
  originalRetrefNum: string;
  /** Means nothing in a void. */
  amountMinor: bigint;
  /** ISO 4217 letters. */
  currency: string;
  installments: number;
  /** A payment's. */
  card: PaymentCard | undefined;
};

/** The elements of a request by their path below GVPSRequest. */
export type Sent = { field: Field; merchant: Merchant | undefined; modes: Pick<Modes, "access"> };
/** Each names the reason of the refusal; `0002` goes with the name of the field. */
type FormRules = readonly Rule<Sent, string>[];

const typeOf = ({ field }: Sent) => field("Transaction/Type");
const presenceOf = ({ field }: Sent) => field("Transaction/CardholderPresentCode");
const userOf = ({ field }: Sent) => field("Terminal/ProvUserID");
const isMoney = (sent: Sent) => operations.has(typeOf(sent));
const isPayment = (sent: Sent) => ["sales", "preauth"].includes(typeOf(sent));
const isAuthenticated = (sent: Sent) => isPayment(sent) && presenceOf(sent) === "13";
const isByCard = (sent: Sent) => isPayment(sent) && !isAuthenticated(sent);
const isUnlike = (path: string, pattern: RegExp) => (sent: Sent) => !pattern.test(sent.field(path));
const ofCard = (path: string, pattern: RegExp) => (sent: Sent) =>
  isByCard(sent) && isUnlike(path, pattern)(sent);

function isWronglyHashed({ field, merchant, modes }: Sent): boolean {
  if (modes.access === "wrong_password" || field("Version") !== "512") return true;
  const security = securityOf(merchant, field("Terminal/ProvUserID")) ?? "";
  return field("Terminal/HashData") !== requestHash(field, security);
}

/** PROVAUT does not void, and PROVRFN does not pay. */
function lacksRight(sent: Sent): boolean {
  const isBack = ["void", "refund"].includes(typeOf(sent));
  return userOf(sent) !== (isBack ? REFUNDING_USER : PAYING_USER);
}

/** The rules that keep a caller out. Their refusals are not signed. */
export const accessRules: FormRules = [
  [({ modes }) => modes.access === "outage", "9999"],
  [({ merchant }) => merchant === undefined, "0752"],
  [({ field, merchant }) => field("Terminal/MerchantID") !== merchant?.merchantId, "0753"],
  [(sent) => securityOf(sent.merchant, userOf(sent)) === undefined, "0653"],
  [isWronglyHashed, "0651"],
];

/** The rules of a request's form. */
export const formRules: FormRules = [
  [({ modes }) => modes.access === "closed", "0654"],
  [({ modes }) => modes.access === "address_not_allowed", "0769"],
  [isUnlike("Mode", /^(?:TEST|PROD)$/), "0002 Mode"],
  [isUnlike("Customer/IPAddress", /^\d{1,3}(?:\.\d{1,3}){3}$/), "0002 CustomerIPAddress"],
  [(sent) => !isMoney(sent) && viewOf(sent) === undefined, "0122"],
  [lacksRight, "0652"],
  [(sent) => sent.field("Order/OrderID") === "" && !isPayment(sent), "0002 OrderID"],
  [({ field }) => field("Order/OrderID").length > 32, "0231"],
  [isUnlike("Order/OrderID", /^[\w-]*$/), "0001"],
  [isUnlike("Transaction/Amount", /^[1-9]\d{0,14}$/), "0002 TxnAmount"],
  [(sent) => isMoney(sent) && currencyOf(sent) === undefined, "0759"],
  [isUnlike("Transaction/OriginalRetrefNum", /^(?:\d{12})?$/), "0002 OriginalRetrefNum"],
  [isUnlike("Transaction/InstallmentCnt", /^(?:[2-9]|[1-9]\d)?$/), "0122"],
  [({ field, merchant }) => field("Transaction/MotoInd") === "Y" && !merchant?.options.mailOrder, "0764"],
  [
    (sent) => isAuthenticated(sent) && ["SecurityLevel", "TxnID", "Md"].some((name) => !secure(sent, name)),
    "0763",
  ],
  [ofCard("Transaction/CardholderPresentCode", /^0$/), "0002 CardholderPresentCode"],
  [ofCard("Card/Number", /^\d{13,19}$/), "0002 CardNumber"],
  [ofCard("Card/ExpireDate", /^(?:0[1-9]|1[0-2])\d{2}$/), "0003"],
  [ofCard("Card/CVV2", /^\d{3,4}$/), "0099"],
];

/** A request that has passed its rules. */
export function moneyRequestOf(sent: Sent): MoneyRequest | undefined {
  const { field } = sent;
  const operation = operations.get(typeOf(sent));
  return (
    operation && {
      operation,
      orderId: field("Order/OrderID"),
      originalRetrefNum: field("Transaction/OriginalRetrefNum"),
      amountMinor: BigInt(field("Transaction/Amount")),
      currency: currencyOf(sent) ?? "",
      installments: Number(field("Transaction/InstallmentCnt") || 1),
      card: isPayment(sent) ? cardOf(sent) : undefined,
    }
  );
}

/** The inquiry that a request is, if it is one. */
export function viewOf(sent: Sent): "order" | "history" | undefined {
  const type = typeOf(sent);
  return type === "orderinq" ? "order" : type === "orderhistoryinq" ? "history" : undefined;
}

const secure = ({ field }: Sent, name: string) => field(`Transaction/Secure3D/${name}`);

function cardOf(sent: Sent): PaymentCard {
  if (isAuthenticated(sent)) {
    const [eci, xid, md] = [secure(sent, "SecurityLevel"), secure(sent, "TxnID"), secure(sent, "Md")];
    return { kind: "md", cavv: secure(sent, "AuthenticationCode"), eci, xid, md };
  }
  const expiry = sent.field("Card/ExpireDate").replace(/(..)(..)/, "20$2-$1");
  return { kind: "pan", pan: sent.field("Card/Number"), expiry, cvv: sent.field("Card/CVV2") };
}

function currencyOf({ field }: Sent): string | undefined {
  return currencies.get(field("Transaction/CurrencyCode"));
}

/** The letters of currencies by their ISO 4217 numbers. */
export const currencies = new Map(
  Object.entries({ 949: "TRY", 840: "USD", 978: "EUR", 826: "GBP", 392: "JPY" }),
);

const operations = new Map(
  (Object.keys(TYPES) as Entry["operation"][]).map((operation): [string, Entry["operation"]] => [
    TYPES[operation],
    operation,
  ]),
);
