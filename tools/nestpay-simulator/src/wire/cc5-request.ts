import type { MoneyRequest, PaymentCard, PaymentRequest } from "../bank/money-request.ts";
import type { RefusalCode } from "../bank/refusals.ts";
import { currencyOf, parseAmount } from "../money.ts";
import { readXml } from "./read-xml.ts";

/** A request for an order's state (ORDERSTATUS) or all its movements (ORDERHISTORY). */
export type Inquiry = { kind: "inquiry"; view: "status" | "history"; orderId: string };

/** The request's content; `refused` where its form is wrong. */
export type Asked =
  | Inquiry
  | { kind: "money"; request: MoneyRequest }
  | { kind: "refused"; code: RefusalCode };

/** A CC5Request (Nestpay protocol, request). `orderId` is for answers and may be empty. */
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
  const text = readRequestText(body);
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

function askedOf(field: Field): Asked {
  const overlong = overlongField(field);
  if (overlong) return refuse(overlong);
  const type = field("Type");
  const isStatus = field("Extra/ORDERSTATUS") === "QUERY";
  if (type === "" && (isStatus || field("Extra/ORDERHISTORY") === "QUERY")) {
    const orderId = field("OrderId");
    return orderId === ""
      ? refuse(2301)
      : { kind: "inquiry", view: isStatus ? "status" : "history", orderId };
  }
  const mode = field("Mode");
  const isPayment = type === "Auth" || type === "PreAuth";
  // Clients leave it out of follow-ups.
  if (mode === "" ? isPayment : !["P", "T"].includes(mode)) return refuse(1006);
  // A client that is in use sends it with a Credit, and the banks take that.
  if (field("TransId") !== "" && (isPayment || type === "PostAuth")) return refuse(1028);
  switch (type) {
    case "Auth":
    case "PreAuth":
      return paymentOf(type === "Auth" ? "sale" : "authorize", field);
    case "PostAuth":
      return captureOf(field);
    case "Void":
      return voidOf(field);
    case "Credit":
      return creditOf(field);
    default:
      return refuse(type === "" ? 2003 : 2001);
  }
}

function paymentOf(operation: "authorize" | "sale", field: Field): Asked {
  if (PLANS.some((name) => field(name) !== "")) return refuse(1007);
  const currency = currencyOf(field("Currency"));
  if (currency === undefined) return refuse(1010);
  const amountMinor = parseAmount(field("Total"));
  if (amountMinor === undefined) return refuse(1024);
  const named = field("Taksit") || field("Instalment") || field("Installment");
  if (!/^(?:[1-9]\d{0,2})?$/.test(named)) return refuse(1023);
  const card = cardOf(field);
  if (typeof card === "number") return refuse(card);
  const request: PaymentRequest = {
    operation,
    orderId: field("OrderId"),
    groupId: field("GroupId"),
    amountMinor,
    currency,
    installments: named === "" ? 1 : Number(named),
    namesOne: named === "1",
    card,
  };
  return { kind: "money", request };
}

function cardOf(field: Field): PaymentCard | RefusalCode {
  const number = field("Number");
  // The form of an `md` is `BIN:HEX:number:##clientid`.
  if (number.includes(":##")) {
    return {
      kind: "md",
      md: number,
      xid: field("PayerTxnId"),
      eci: field("PayerSecurityLevel"),
      cavv: field("PayerAuthenticationCode"),
    };
  }
  if (number === "") return 2015;
  const expiry = parseExpiry(field("Expires"));
  return expiry ? { kind: "pan", pan: number, ...expiry, cvv: field("Cvv2Val") } : 2011;
}

/** `MM/YY`, `MM/YYYY` or `MM.YYYY`. */
function parseExpiry(text: string): { expiryMonth: number; expiryYear: number } | undefined {
  const found = /^(0[1-9]|1[0-2])(?:\/(?:20)?(\d{2})|\.20(\d{2}))$/.exec(text);
  if (!found) return undefined;
  return { expiryMonth: Number(found[1]), expiryYear: Number(found[2] ?? found[3]) };
}

function captureOf(field: Field): Asked {
  const amount = optional(field("Total"), parseAmount);
  const hold = optional(field("Extra/PREAMT") || field("PREAMT"), parseAmount);
  const currency = optional(field("Currency"), currencyOf);
  if (!amount || !hold) return refuse(1024);
  if (!currency) return refuse(1010);
  const orderId = field("OrderId");
  if (orderId === "") return refuse(2301);
  return {
    kind: "money",
    request: {
      operation: "capture",
      orderId,
      amountMinor: amount.value,
      currency: currency.value,
      holdMinor: hold.value,
    },
  };
}

function voidOf(field: Field): Asked {
  const orderId = field("OrderId");
  const transactionId = field("TransId");
  if (orderId === "" && transactionId === "") return refuse(2002);
  return { kind: "money", request: { operation: "void", orderId, transactionId } };
}

function creditOf(field: Field): Asked {
  const orderId = field("OrderId");
  if (orderId === "") return refuse(2301);
  const currency = optional(field("Currency"), currencyOf);
  if (!currency) return refuse(1010);
  const amountMinor = parseAmount(field("Total"));
  if (amountMinor === undefined) return refuse(1024);
  return { kind: "money", request: { operation: "refund", orderId, amountMinor, currency: currency.value } };
}

/** Reads a field that may be left out. @returns undefined where it is there and wrong */
function optional<Value>(
  text: string,
  parse: (text: string) => Value | undefined,
): { value: Value | undefined } | undefined {
  if (text === "") return { value: undefined };
  const value = parse(text);
  return value === undefined ? undefined : { value };
}

function overlongField(field: Field): RefusalCode | undefined {
  if (field("OrderId").length > 64) return 1015;
  return LENGTHS.some(([name, max]) => field(name).length > max) ? 1011 : undefined;
}

function refuse(code: RefusalCode): Asked {
  return { kind: "refused", code };
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

/**
 * Reads the XML out of a body of `POST /fim/api`, in the three forms of the Nestpay protocol, transport: the XML
 * itself, with any content type, `DATA=` with the XML, or `DATA=` with the XML percent-encoded. The encoding is the one
 * that the XML declares. @returns undefined for anything else
 */
function readRequestText(body: Buffer): string | undefined {
  const latin = body.toString("latin1");
  if (latin.startsWith("<") || latin.startsWith(UTF_8_MARK)) return decode(body);
  if (!latin.startsWith("DATA=")) return undefined;
  const data = latin.slice("DATA=".length);
  if (!/%3c/i.test(data)) return decode(body.subarray("DATA=".length));
  return decode(percentDecoded(data));
}

/** Form encoding: a space is a plus. Anything but an escape stands for itself. */
function percentDecoded(data: string): Buffer {
  const text = data
    .replaceAll("+", " ")
    .replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(text, "latin1");
}

function decode(bytes: Buffer): string | undefined {
  const declaration = /^[^<]{0,3}<\?xml[^>]{0,100}?encoding=["']([A-Za-z0-9._-]{1,20})["']/.exec(
    bytes.toString("latin1", 0, 200),
  );
  const encoding = (declaration?.[1] ?? "utf-8").toLowerCase();
  if (!["utf-8", "iso-8859-9"].includes(encoding)) return undefined;
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** A byte order mark, read as Latin-1. */
const UTF_8_MARK = "\u00EF\u00BB\u00BF";
