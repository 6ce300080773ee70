import { readXml, verdictOf, xmlInBody, type Rule } from "../../core/index.ts";
import type { Entry } from "./ledger-line.ts";
import { currencyOf, parseAmount } from "./money.ts";
import type { RefusalCode } from "./refusals.ts";

/** The card of a payment: the card itself, or the `md` of a 3-D Secure return with its further fields. */
export type PaymentCard =
  | { kind: "pan"; pan: string; expiry: string; cvv: string }
  | { kind: "md"; md: string; xid: string; eci: string; cavv: string };

/** A request that moves money; its rules have checked the fields that its operation needs. */
export type MoneyRequest = {
  operation: Entry["operation"];
  /** Empty if the bank has to generate one, or if a void names only a TransId. */
  orderId: string;
  groupId: string;
  transactionId: string;
  /** Undefined if a capture takes the whole hold. */
  amountMinor: bigint | undefined;
  /** ISO 4217 letters. */
  currency: string | undefined;
  /** PREAMT: the hold's amount. */
  holdMinor: bigint | undefined;
  /** 1 without installments; `namesOne` if the request says so explicitly. */
  installments: number;
  namesOne: boolean;
  /** Present for a payment. */
  card: PaymentCard | undefined;
};

/** A request for an order's state (ORDERSTATUS) or all its movements (ORDERHISTORY). */
export type Inquiry = { kind: "inquiry"; view: "status" | "history"; orderId: string };

/** The request's content; `refused` where its form is wrong. */
export type Asked =
  | Inquiry
  | { kind: "money"; request: MoneyRequest }
  | { kind: "refused"; code: RefusalCode };

/** A CC5Request. `orderId` is for answers and may be empty. */
export type Cc5Request = {
  name: string;
  password: string;
  clientId: string;
  orderId: string;
  groupId: string;
  asked: Asked;
};

/** Reads the body of `POST /fim/api`. @returns undefined for a body that is no CC5Request */
export function parseCc5Request(body: Buffer): Cc5Request | undefined {
  const text = xmlInBody(body, "DATA");
  const elements = text === undefined ? undefined : readXml(text, "CC5Request");
  if (!elements) return undefined;
  const field = (name: string) => elements.get(name) ?? "";
  return {
    name: field("Name"),
    password: field("Password"),
    clientId: field("ClientId"),
    orderId: field("OrderId"),
    groupId: field("GroupId"),
    asked: askedOf(field),
  };
}

type Field = (name: string) => string;
type FieldRules = readonly Rule<Field, RefusalCode>[];

const isWrong = (text: string, parse: (text: string) => unknown) => text !== "" && parse(text) === undefined;
const lacksOrder = (field: Field) => field("OrderId") === "";
const hasNoAmount = (field: Field) => parseAmount(field("Total")) === undefined;
const installmentsOf = (field: Field) => field("Taksit") || field("Instalment") || field("Installment");
const holdOf = (field: Field) => field("Extra/PREAMT") || field("PREAMT");
const isPayment = (field: Field) => ["Auth", "PreAuth"].includes(field("Type"));
/** The form of an `md` is `BIN:HEX:number:##clientid`. */
const hasMd = (field: Field) => field("Number").includes(":##");

const everyRequest: FieldRules = [
  [(field) => field("OrderId").length > 64, 1015],
  [(field) => LENGTHS.some(([name, max]) => field(name).length > max), 1011],
];
const everyType: FieldRules = [
  // Clients leave Mode out of follow-ups.
  [(field) => (field("Mode") === "" ? isPayment(field) : !["P", "T"].includes(field("Mode"))), 1006],
  // A client in use sends TransId with a Credit, and the banks accept that.
  [(field) => field("TransId") !== "" && (isPayment(field) || field("Type") === "PostAuth"), 1028],
];
const payment: FieldRules = [
  [(field) => PLANS.some((name) => field(name) !== ""), 1007],
  [(field) => currencyOf(field("Currency")) === undefined, 1010],
  [hasNoAmount, 1024],
  [(field) => !/^(?:[1-9]\d{0,2})?$/.test(installmentsOf(field)), 1023],
  [(field) => field("Number") === "", 2015],
  [(field) => !hasMd(field) && expiryOf(field("Expires")) === undefined, 2011],
];
const capture: FieldRules = [
  [(field) => isWrong(field("Total"), parseAmount) || isWrong(holdOf(field), parseAmount), 1024],
  [(field) => isWrong(field("Currency"), currencyOf), 1010],
  [lacksOrder, 2301],
];
const refund: FieldRules = [
  [lacksOrder, 2301],
  [(field) => isWrong(field("Currency"), currencyOf), 1010],
  [hasNoAmount, 1024],
];
const voiding: FieldRules = [[(field) => lacksOrder(field) && field("TransId") === "", 2002]];

const types = new Map<string, { operation: Entry["operation"]; rules: FieldRules }>([
  ["Auth", { operation: "sale", rules: payment }],
  ["PreAuth", { operation: "authorize", rules: payment }],
  ["PostAuth", { operation: "capture", rules: capture }],
  ["Void", { operation: "void", rules: voiding }],
  ["Credit", { operation: "refund", rules: refund }],
]);

function askedOf(field: Field): Asked {
  const overlong = verdictOf(everyRequest, field);
  if (overlong) return { kind: "refused", code: overlong };
  const name = field("Type");
  const isStatus = field("Extra/ORDERSTATUS") === "QUERY";
  if (name === "" && (isStatus || field("Extra/ORDERHISTORY") === "QUERY")) {
    if (lacksOrder(field)) return { kind: "refused", code: 2301 };
    return { kind: "inquiry", view: isStatus ? "status" : "history", orderId: field("OrderId") };
  }
  const type = types.get(name);
  const code =
    verdictOf(everyType, field) ?? (type ? verdictOf(type.rules, field) : name === "" ? 2003 : 2001);
  if (code || !type) return { kind: "refused", code: code ?? 2001 };
  return { kind: "money", request: requestOf(type.operation, field) };
}

/** Amounts and currencies of a void mean nothing. */
function requestOf(operation: Entry["operation"], field: Field): MoneyRequest {
  const isVoid = operation === "void";
  const installments = installmentsOf(field);
  return {
    operation,
    orderId: field("OrderId"),
    groupId: field("GroupId"),
    transactionId: field("TransId"),
    amountMinor: isVoid ? undefined : parseAmount(field("Total")),
    currency: isVoid ? undefined : currencyOf(field("Currency")),
    holdMinor: parseAmount(holdOf(field)),
    installments: Number(installments || 1),
    namesOne: installments === "1",
    card: isPayment(field) ? cardOf(field) : undefined,
  };
}

function cardOf(field: Field): PaymentCard {
  if (!hasMd(field)) {
    const expiry = expiryOf(field("Expires")) ?? "";
    return { kind: "pan", pan: field("Number"), expiry, cvv: field("Cvv2Val") };
  }
  return {
    kind: "md",
    md: field("Number"),
    xid: field("PayerTxnId"),
    eci: field("PayerSecurityLevel"),
    cavv: field("PayerAuthenticationCode"),
  };
}

/** `MM/YY`, `MM/YYYY` or `MM.YYYY` as `YYYY-MM`. */
function expiryOf(text: string): string | undefined {
  const [, month, year, other] = /^(0[1-9]|1[0-2])(?:\/(?:20)?(\d{2})|\.20(\d{2}))$/.exec(text) ?? [];
  return month === undefined ? undefined : `20${year ?? other}-${month}`;
}

/** The longest values of the fields that are read or kept. */
const LENGTHS: readonly [name: string, max: number][] = [
  ["Name", 255],
  ["Password", 255],
  ["ClientId", 15],
  ["GroupId", 64],
  ["TransId", 64],
  ["IPAddress", 39],
  ["Email", 64],
  ["PayerTxnId", 64],
  ["BillTo/Country", 3],
  ["BillTo/TelVoice", 32],
  ["ShipTo/Country", 3],
  ["ShipTo/TelVoice", 32],
];

/** Recurring payments are not served. */
const PLANS = ["PbOrder/OrderType", "PbOrder/TotalNumberPayments"];
