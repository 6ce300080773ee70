import { readXml, xmlOf } from "../../../core/index.ts";
import { startBankOf, submit, type Page } from "../../../core/test/test-bank.ts";
import { defaultModes } from "../config.ts";
import { merchantsSchema, protocol, type LedgerLine, type Modes, type SimulatorConfig } from "../index.ts";
import { macOf } from "../packets.ts";

export const STORE = {
  mid: "6706598320",
  tid: "67005551",
  posnetId: "9644",
  encKey: "10,10,10,10,10,10,10,10",
};
export const GOOD_CARD = "4506344103118942";
export const CHALLENGED = "4000000000003220";
export const RETURN_URL = "https://pay.example.test/return/1";
export const ORDER = "0000FKGJB5BYBEHK8MX5G64W";
export const XID = "7K2M9Q4T8W3X6Z5B1C0D";

/** The machine's time in tests: noon of 22 November 2026 in Turkey. */
export const NOON = Date.parse("2026-11-22T09:00:00Z");

/** A call and its elements; `null` leaves one out. */
export type Fields = Record<string, string | null>;
export type Call = [call: string, fields: Fields];
/** The elements of an answer by the last part of their path. */
export type Answer = Record<string, string | undefined>;

type Options = Partial<Omit<SimulatorConfig, "ledgerFile" | "modes">> & {
  modes?: Partial<Modes>;
  options?: object;
};

/** A bank in this process with a ledger of its own, which is removed at the end. Its clock is stopped. */
export async function startTestBank({ modes, options = {}, ...rest }: Options = {}) {
  const bank = await startBankOf<SimulatorConfig, LedgerLine>(protocol, {
    merchants: merchantsSchema.parse([{ ...STORE, options }]),
    machineNow: () => NOON,
    modes: { ...defaultModes, ...modes },
    ...rest,
  });
  const postTo = (body: string, headers: Record<string, string>) =>
    fetch(`${bank.url}/PosnetWebService/XML`, { method: "POST", body, headers });
  /** Posts a document in its form field. */
  const post = async (xml: string) =>
    (await postTo(String(new URLSearchParams({ xmldata: xml })), { "content-type": FORM })).text();
  const raw = (call: Call, head?: Fields) => post(requestXml(call, head));
  const ask = async (call: Call) => readAnswer(await raw(call));
  return Object.assign(bank, {
    post,
    postTo,
    raw,
    ask,
    /** The refusal's code, or `ok`. */
    code: async (call: Call) => codeOf(await ask(call)),
    rows: async (order = ORDER, more: Fields = {}) => rowsOf(await raw(agreement(order, more))),
  });
}

export const FORM = "application/x-www-form-urlencoded; charset=utf-8";

export function codeOf({ approved, respCode }: Answer): string | undefined {
  return approved === "1" ? "ok" : approved === "2" ? `2 ${respCode}` : respCode;
}

/** A sale of 12.50 TRY. */
export function sale(changes: Fields = {}): Call {
  const fields = { amount: "1250", ccno: GOOD_CARD, currencyCode: "TL", cvc: "000", expDate: "3012" };
  return ["sale", { ...fields, orderID: ORDER, installment: "00", ...changes }];
}
/** A hold of 12.50 TRY. */
export const hold = (changes: Fields = {}): Call => ["auth", sale(changes)[1]];
export const capture = (hostLogKey = "", changes: Fields = {}): Call => [
  "capt",
  { hostLogKey, amount: "1250", currencyCode: "TL", installment: "00", ...changes },
];
export const refund = (hostLogKey = "", amount = "1250", changes: Fields = {}): Call => [
  "return",
  { hostLogKey, amount, currencyCode: "TL", ...changes },
];
export const reverse = (transaction: string, hostLogKey = "", changes: Fields = {}): Call => [
  "reverse",
  { transaction, hostLogKey, ...changes },
];
export const agreement = (orderID = ORDER, more: Fields = {}): Call => ["agreement", { orderID, ...more }];

export function requestXml([call, fields]: Call, head: Fields = {}): string {
  const all = { mid: STORE.mid, tid: STORE.tid, tranDateRequired: "1", ...head };
  return `<?xml version="1.0" encoding="ISO-8859-9"?>${xmlOf({
    posnetRequest: { ...present(all), [call]: present(fields) },
  })}`;
}

function present(fields: Fields): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).filter((each): each is [string, string] => each[1] !== null),
  );
}

/** Reads an answer, and fails for one that is no posnetResponse. */
export function readAnswer(text: string): Answer {
  const elements = readXml(text, "posnetResponse");
  if (!elements) throw new Error("not a posnetResponse");
  return Object.fromEntries(
    [...elements].map(([path, value]) => [path.split("/").at(-1) ?? "", value]).toReversed(),
  );
}

function rowsOf(text: string): Answer[] {
  const rows = text.match(/<transaction>.*?<\/transaction>/g) ?? [];
  return rows.map((row): Answer => Object.fromEntries(readXml(row, "transaction") ?? []));
}

/** The first step of 3-D Secure. */
export const begin = (changes: Fields = {}): Call => {
  const { orderID: _, ...payment } = sale()[1];
  const fields = { ...payment, ccno: CHALLENGED, posnetid: STORE.posnetId, XID, tranType: "Sale" };
  return ["oosRequestData", { ...fields, cardHolderName: "ADA LOVELACE", ...changes }];
};

/** The form for the browser. */
export function gateForm(
  { data1 = "", data2 = "", sign = "" }: Answer,
  changes: Record<string, string> = {},
) {
  return {
    mid: STORE.mid,
    posnetID: STORE.posnetId,
    posnetData: data1,
    posnetData2: data2,
    digest: sign,
    merchantReturnURL: RETURN_URL,
    url: "",
    lang: "tr",
    openANewWindow: "0",
    vftCode: "",
    ...changes,
  };
}

type Gate = { url: string; ask: (call: Call) => Promise<Answer> };
const RIGHT = { code: "123456", answer: "submit" };

/** Goes through the first step and the browser's form, with the correct code if the issuer asks for one. */
export async function authenticate(
  { url, ask }: Gate,
  changes: Fields = {},
  answer: Record<string, string> = RIGHT,
): Promise<Page> {
  const page = await submit(`${url}/3DSWebService/YKBPaymentService`, gateForm(await ask(begin(changes))));
  return page.action.endsWith("/acs/answer") ? submit(page.action, { ...page.fields, ...answer }) : page;
}

/** The MAC over our own values, behind those that an answer begins with. */
export const ownMac = (...before: string[]) => macOf(STORE, ...before, XID, "1250", "TL");

/** The second step. */
export const resolve = (fields: Record<string, string>, changes: Fields = {}): Call => {
  const packets = { bankData: fields["BankPacket"] ?? "", merchantData: fields["MerchantPacket"] ?? "" };
  return ["oosResolveMerchantData", { ...packets, sign: fields["Sign"] ?? "", mac: ownMac(), ...changes }];
};

/** The payment after 3-D Secure. */
export const complete = (fields: Record<string, string>, changes: Fields = {}): Call => [
  "oosTranData",
  { bankData: fields["BankPacket"] ?? "", wpAmount: "0", mac: ownMac(), ...changes },
];
