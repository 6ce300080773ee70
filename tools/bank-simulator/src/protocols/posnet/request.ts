import { readXml, type Rule } from "../../core/index.ts";
import type { Merchant, Modes } from "./config.ts";
import type { Entry } from "./ledger-line.ts";

/** The kind of movement that a `reverse` voids. */
export type ReversedKind = "sale" | "auth" | "capt" | "return";
export type PaymentCard = { pan: string; expiry: string; cvv: string };

/** A request that moves money. */
export type MoneyRequest = {
  operation: Entry["operation"];
  /** Empty if a follow-up names a movement. */
  orderId: string;
  orderDate: string | null;
  /** The movement that a follow-up is about; empty if it names the order. */
  hostLogKey: string;
  /** The kind of the movement that a void reverses. */
  reverses: ReversedKind | undefined;
  /** Means nothing in a void. */
  amountMinor: bigint;
  /** ISO 4217 letters; undefined in a void. */
  currency: string | undefined;
  installments: number;
  /** A payment's. */
  card: PaymentCard | undefined;
};

const AMOUNT = /^[1-9]\d{0,6}$/;
const CURRENCY = /^(?:TL|US|EU)$/;
const INSTALLMENT = /^(?:00|0[2-9]|[1-9]\d)$/;
const KEY = /^[0-9A-Z]{18}$/;
const ORDER = /^\w{1,24}$/;
const DATE = /^(?:\d{8})?$/;
const HEX = /^[0-9A-F]{40,2000}$/;
const MAC = /^[\w+/]{43}=$/;
const card = { ccno: /^\d{15,19}$/, expDate: /^\d\d(?:0[1-9]|1[0-2])$/, cvc: /^\d{3,4}$/ };
const money = { amount: AMOUNT, currencyCode: CURRENCY };
const payment = { ...money, ...card, orderID: ORDER, installment: INSTALLMENT };
/** A follow-up names a movement or an order. */
const named = { hostLogKey: /^(?:[0-9A-Z]{18})?$/, orderID: /^\w{0,24}$/, orderDate: DATE };
const extras = { mailorderflag: /^[YN]?$/, koiCode: /^[1-6]?$/ };

/** The elements of each call. An element that may be absent has a pattern for an empty text. */
const CALLS = {
  sale: { ...payment, ...extras },
  auth: { ...payment, ...extras },
  capt: { hostLogKey: KEY, ...money, installment: INSTALLMENT },
  reverse: { transaction: /^(?:sale|auth|capt|return)$/, ...named },
  return: { ...money, ...named },
  agreement: { orderID: ORDER, orderDate: DATE },
  oosRequestData: {
    posnetid: /^\d{1,16}$/,
    XID: /^\w{20}$/,
    ...money,
    ...card,
    installment: INSTALLMENT,
    tranType: /^(?:Sale|Auth)$/,
    cardHolderName: /^[^;]{0,60}$/,
  },
  oosResolveMerchantData: { bankData: HEX, merchantData: HEX, sign: /^[0-9A-F]{32}$/, mac: MAC },
  oosTranData: { bankData: HEX, wpAmount: /^0$/, mac: MAC, merchantData: /^[0-9A-F]*$/, sign: /^[0-9A-F]*$/ },
} satisfies Record<string, Record<string, RegExp>>;
export type CallName = keyof typeof CALLS;

/** A request by its elements. */
export type Sent = {
  call: CallName;
  mid: string;
  tid: string;
  /** The text of an element of the call; empty if it is missing. */
  field: (name: string) => string;
  /** True if the answer has the movement's time. */
  isDated: boolean;
  /** The elements that its call does not have. */
  unknown: readonly string[];
};

/** Reads the document of a request. @returns undefined for anything that is no call of this protocol */
export function readSent(text: string | null): Sent | undefined {
  const elements = text === null ? undefined : readXml(text, "posnetRequest");
  if (!elements) return undefined;
  const paths = [...elements.keys()].filter((path) => path !== "" && !HEAD.has(path));
  const [call = "", another] = paths.filter((path) => !path.includes("/"));
  if (another !== undefined || !Object.hasOwn(CALLS, call)) return undefined;
  const names = Object.keys(CALLS[call as CallName]);
  return {
    call: call as CallName,
    mid: elements.get("mid") ?? "",
    tid: elements.get("tid") ?? "",
    field: (name) => elements.get(`${call}/${name}`) ?? "",
    isDated: elements.get("tranDateRequired") === "1",
    unknown: paths.filter((path) => path !== call && !names.includes(path.slice(call.length + 1))),
  };
}

const HEAD = new Set(["mid", "tid", "tranDateRequired"]);

/** A request with its caller. */
export type Of = {
  sent: Sent;
  merchant: Merchant | undefined;
  address: string;
  modes: Pick<Modes, "access">;
};

/** The rules that keep a caller out: a code, and a detail for its text. */
export const accessRules: readonly Rule<Of, string>[] = [
  [({ modes }) => modes.access === "older_refusal", "0003"],
  [({ modes }) => modes.access === "wrong_address", "0148"],
  [({ sent }) => !/^\d{10}$/.test(sent.mid), "0320"],
  [({ sent }) => !/^\d{8}$/.test(sent.tid), "0321"],
  [({ sent, merchant }) => merchant?.mid !== sent.mid, "0148"],
  [({ merchant, address }) => !isRegistered(merchant?.options.addresses ?? [], address), "0148"],
  [({ modes }) => modes.access === "blocked", "0129"],
];

function isRegistered(addresses: readonly string[], address: string): boolean {
  return addresses.length === 0 || addresses.includes(address);
}

/** The fault of a request's form. */
export function formFault({ sent, merchant }: Of): string | undefined {
  const { call, field, unknown } = sent;
  const bad = Object.entries(CALLS[call]).find(([name, pattern]) => !pattern.test(field(name)))?.[0];
  if (unknown.length > 0) return `0002 ${unknown[0]}`;
  if (bad !== undefined) return FAULTS[bad] ?? `0002 ${bad}`;
  if (call === "oosRequestData" && field("posnetid") !== merchant?.posnetId) return "0148";
  const isFollowUp = call === "reverse" || call === "return";
  if (isFollowUp && (field("hostLogKey") === "") === (field("orderID") === "")) return "0002 hostLogKey";
  const isDaily = merchant?.options.orderIdParameter === true;
  const namesOrder = field("orderID") !== "";
  if (namesOrder && !isDaily && field("orderID").length !== 24) return FAULTS["orderID"];
  const lacksDate = isDaily && namesOrder && (isFollowUp || call === "agreement") && !field("orderDate");
  return lacksDate ? "0150 ORDERDATE" : undefined;
}

const FAULTS: Record<string, string> = {
  orderID: "0150 ORDERID",
  expDate: "0150 EXPDATE",
  cvc: "0150 CVC",
  orderDate: "0150 ORDERDATE",
  XID: "E189",
  currencyCode: "E190",
  mac: "E216",
};

/** A call about money that has passed its rules. @param today `yyyyMMdd` */
export function moneyRequestOf({ call, field }: Sent, merchant: Merchant, today: string): MoneyRequest {
  const isPayment = call === "sale" || call === "auth";
  const isDaily = merchant.options.orderIdParameter && field("orderID") !== "";
  return {
    operation: operations.get(call) ?? "sale",
    orderId: field("orderID"),
    orderDate: isDaily ? (isPayment ? today : field("orderDate")) : null,
    hostLogKey: field("hostLogKey"),
    reverses: call === "reverse" ? (field("transaction") as ReversedKind) : undefined,
    amountMinor: BigInt(field("amount") || 0),
    currency: currencies.get(field("currencyCode")),
    installments: Number(field("installment")) || 1,
    card: isPayment ? cardOf(field) : undefined,
  };
}

export function cardOf(field: (name: string) => string): PaymentCard {
  const expiry = field("expDate").replace(/(..)(..)/, "20$1-$2");
  return { pan: field("ccno"), expiry, cvv: field("cvc") };
}

/** The letters of ISO 4217 by the protocol's own. */
export const currencies = new Map([
  ["TL", "TRY"],
  ["US", "USD"],
  ["EU", "EUR"],
]);

const operations = new Map<string, Entry["operation"]>([
  ["auth", "authorize"],
  ["capt", "capture"],
  ["reverse", "void"],
  ["return", "refund"],
]);
