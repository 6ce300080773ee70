import type { CardOperation, Customer } from "@holdfast/acquirer";
import type { WrittenAmount } from "./nestpay-amount.ts";

/** The caller: elements of every request. */
export type Caller = { user: string; password: string; clientId: string; mode: "P" | "T" };

/** Name and text of each element, in the order of the bank's documents. */
type Elements = readonly (readonly [name: string, content: string | Elements])[];

/** The payer of an authorization or a sale: a card, or the proof of an authentication, which stands for the card. */
export type Instrument =
  | { pan: string; expiryMonth: string; expiryYear: string; cvv: string }
  | { md: string; xid: string; eci: string; cavv: string };

export type CardCall = {
  operation: CardOperation;
  orderId: string;
  amount: WrittenAmount;
  installmentCount: number;
  instrument: Instrument;
  customer?: Customer;
};

/** `PreAuth` authorizes, `Auth` sells. */
export function cardRequest(caller: Caller, call: CardCall): string {
  const { orderId, amount, installmentCount } = call;
  return render([
    ...callerElements(caller),
    ["Type", transactionType(call.operation)],
    ...buyerElements(call.customer),
    ["OrderId", orderId],
    ["Total", amount.total],
    ["Currency", amount.currency],
    ["Taksit", writeInstallments(installmentCount)],
    ...instrumentElements(call.instrument),
  ]);
}

export function captureRequest(caller: Caller, orderId: string, { total }: WrittenAmount): string {
  return render([...callerElements(caller), ["Type", "PostAuth"], ["OrderId", orderId], ["Total", total]]);
}

/**
 * Without a transaction a void would reverse the last movement of the order, even a refund: so `transId` is required.
 */
export function voidRequest(caller: Caller, orderId: string, transId: string): string {
  return render([...callerElements(caller), ["Type", "Void"], ["OrderId", orderId], ["TransId", transId]]);
}

export function creditRequest(caller: Caller, orderId: string, { total, currency }: WrittenAmount): string {
  return render([
    ...callerElements(caller),
    ["Type", "Credit"],
    ["OrderId", orderId],
    ["Total", total],
    ["Currency", currency],
  ]);
}

export function historyRequest({ user, password, clientId }: Caller, orderId: string): string {
  return render([
    ["Name", user],
    ["Password", password],
    ["ClientId", clientId],
    ["OrderId", orderId],
    ["Extra", [["ORDERHISTORY", "QUERY"]]],
  ]);
}

/** The protocol's words for the operation, the same in the API and in the 3-D Secure form. */
export function transactionType(operation: CardOperation): "Auth" | "PreAuth" {
  return operation === "sale" ? "Auth" : "PreAuth";
}

/** A payment in one is an empty text: some banks refuse "1". */
export function writeInstallments(count: number): string {
  return count > 1 ? String(count) : "";
}

/** Two digits, whether the year came with two or four. */
export function shortYear(year: string): string {
  return year.slice(-2);
}

function callerElements({ user, password, clientId, mode }: Caller): Elements {
  return [
    ["Name", user],
    ["Password", password],
    ["ClientId", clientId],
    ["Mode", mode],
  ];
}

/** A field that is too long would have the whole payment refused, so it is left out. */
function buyerElements({ ip = "", email = "" }: Customer = {}): Elements {
  return [
    ...(ip !== "" && ip.length <= 39 ? [["IPAddress", ip] as const] : []),
    ...(email !== "" && email.length <= 64 ? [["Email", email] as const] : []),
  ];
}

function instrumentElements(instrument: Instrument): Elements {
  if ("pan" in instrument) {
    const { pan, expiryMonth, expiryYear, cvv } = instrument;
    return [
      ["Number", pan],
      ["Expires", `${expiryMonth}/${shortYear(expiryYear)}`],
      ["Cvv2Val", cvv],
    ];
  }
  const { md, xid, eci, cavv } = instrument;
  return [
    ["Number", md],
    ["PayerTxnId", xid],
    ["PayerSecurityLevel", eci],
    ["PayerAuthenticationCode", cavv],
  ];
}

/** The body of a request: a form with one field, its XML percent-encoded and so of ASCII only. */
function render(elements: Elements): string {
  const xml = `<?xml version="1.0" encoding="UTF-8"?>${renderElement("CC5Request", elements)}`;
  return `DATA=${encodeURIComponent(xml)}`;
}

function renderElement(name: string, content: string | Elements): string {
  const inner =
    typeof content === "string"
      ? escapeText(content)
      : content.map(([child, of]) => renderElement(child, of)).join("");
  return `<${name}>${inner}</${name}>`;
}

/** Leaves out what XML cannot carry at all. */
function escapeText(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, "")
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};
