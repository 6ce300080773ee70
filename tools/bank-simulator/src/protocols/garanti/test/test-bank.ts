import { readXml, xmlOf } from "../../../core/index.ts";
import { startBankOf, submit, type Page } from "../../../core/test/test-bank.ts";
import { answerHash, formHash, requestHash, securityData } from "../hashes.ts";
import { merchantsSchema, protocol, type LedgerLine, type Modes, type SimulatorConfig } from "../index.ts";
import { defaultModes } from "../config.ts";

export const STORE = {
  merchantId: "7000679",
  terminalId: "30691298",
  password: "123qweASD/",
  refundPassword: "refund-pass",
  storeKey: "12345678",
};
export const GOOD_CARD = "4282209004348015";
export const RETURN_URL = "https://pay.example.test/return/1";

/**
 * The elements of a request by path, and Transaction's elements by name; `null` leaves one out. `hash`
 * replaces the correct hash.
 */
export type Fields = Record<string, string | null>;
/** The elements of an answer, by the last part of their path and by the whole of it. */
export type Answer = Record<string, string | undefined>;

/** The machine's time in tests: noon of 22 November 2026 in Turkey, the 326th day of its year. */
export const NOON = Date.parse("2026-11-22T09:00:00Z");

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
  const { ask: call } = bank;
  const post = (body: string) => call("POST", "/VPServlet", body);
  const raw = (fields: Fields) => post(requestXml(fields));
  const ask = async (fields: Fields) => readAnswer(await raw(fields));
  return Object.assign(bank, {
    ask,
    raw,
    post,
    /** The refusal's code, or `ok`. */
    code: async (fields: Fields) => codeOf(await ask(fields)),
    order: (id = "o") => ask({ Type: "orderinq", "Order/OrderID": id }),
    /** The rows of the history, oldest first. */
    history: async (id = "o") => {
      const text = await raw({ Type: "orderhistoryinq", "Order/OrderID": id });
      const rows = text.match(/<OrderTxn>.*?<\/OrderTxn>/g) ?? [];
      return rows.map((row): Answer => Object.fromEntries(readXml(row, "OrderTxn") ?? []));
    },
  });
}

export function codeOf({ Message, Source, Code, ReasonCode }: Answer): string | undefined {
  if (Message === "Approved") return "ok";
  return Source === "HOST" ? Code : ReasonCode;
}

/** A sale of 12.50 TRY. */
export function sale(changes: Fields = {}): Fields {
  return {
    Type: "sales",
    "Card/Number": GOOD_CARD,
    "Card/ExpireDate": "1230",
    "Card/CVV2": "000",
    CardholderPresentCode: "0",
    MotoInd: "N",
    ...changes,
  };
}

/** A hold of 12.50 TRY. */
export function hold(changes: Fields = {}): Fields {
  return sale({ Type: "preauth", ...changes });
}

/** A `postauth`, `void` or `refund`. */
export function followUp(type: string, retrefNum = "", changes: Fields = {}): Fields {
  return { Type: type, OriginalRetrefNum: retrefNum, ...changes };
}

export function requestXml(changes: Fields): string {
  const isUndoing = ["void", "refund"].includes(changes["Type"] ?? "");
  const { hash, ...given } = {
    Mode: "TEST",
    Version: "512",
    "Terminal/ProvUserID": isUndoing ? "PROVRFN" : "PROVAUT",
    "Terminal/UserID": "PROVAUT",
    "Terminal/ID": STORE.terminalId,
    "Terminal/MerchantID": STORE.merchantId,
    "Customer/IPAddress": "203.0.113.7",
    "Order/OrderID": "o",
    Amount: "1250",
    CurrencyCode: "949",
    ...changes,
  } as Fields;
  const pathOf = (name: string) => (/\/|^Mode$|^Version$/.test(name) ? name : `Transaction/${name}`);
  const fields: Fields = Object.fromEntries(
    Object.entries(given).map(([name, text]) => [pathOf(name), text]),
  );
  const security = securityOf(fields["Terminal/ProvUserID"]);
  fields["Terminal/HashData"] = hash ?? requestHash((path) => fields[path] ?? "", security);
  const root: Tree = {};
  for (const [path, text] of Object.entries(fields)) {
    const names = path.split("/");
    const last = names.pop() ?? "";
    const parent = names.reduce((tree, name) => (tree[name] ??= {}) as Tree, root);
    if (text !== null) parent[last] = text;
  }
  return `<?xml version="1.0" encoding="UTF-8"?>${xmlOf({ GVPSRequest: root })}`;
}

type Tree = { [name: string]: string | Tree };

function securityOf(user: string | null | undefined): string {
  return securityData(user === "PROVRFN" ? STORE.refundPassword : STORE.password, STORE.terminalId);
}

/** Reads an answer, and fails for one that is no GVPSResponse. */
export function readAnswer(text: string): Answer {
  const elements = readXml(text, "GVPSResponse");
  if (!elements) throw new Error("not a GVPSResponse");
  const named = [...elements].map(([path, value]) => [path.split("/").at(-1) ?? "", value] as const);
  return { ...Object.fromEntries(named.toReversed()), ...Object.fromEntries(elements) };
}

/** True if an answer's hash fits its raw values. */
export function isSigned(text: string, user = "PROVAUT", algorithm?: "sha1"): boolean {
  const outer = text.slice(text.indexOf("<Transaction>"));
  const of = (name: string, within = outer) => new RegExp(`<${name}>([^<]*)<`).exec(within)?.[1] ?? "";
  const signed = [
    ..."Code RetrefNum AuthCode ProvDate".split(" ").map((name) => of(name)),
    of("OrderID", text),
  ];
  return of("HashData") === answerHash(signed, securityOf(user), algorithm);
}

/** A signed form of 12.50 TRY; `secure3dhash` replaces the correct hash. */
export function gateForm(changes: Record<string, string> = {}): Record<string, string> {
  const fields: Record<string, string> = {
    secure3dsecuritylevel: "3D",
    mode: "TEST",
    apiversion: "512",
    terminalprovuserid: "PROVAUT",
    terminaluserid: "PROVAUT",
    terminalmerchantid: STORE.merchantId,
    terminalid: STORE.terminalId,
    txntype: "sales",
    txnamount: "1250",
    txncurrencycode: "949",
    txninstallmentcount: "",
    orderid: "o",
    successurl: RETURN_URL,
    errorurl: `${RETURN_URL}/error`,
    customeripaddress: "203.0.113.7",
    cardnumber: GOOD_CARD,
    cardexpiredatemonth: "12",
    cardexpiredateyear: "30",
    cardcvv2: "000",
    ...changes,
  };
  const hash = formHash((name) => fields[name] ?? "", STORE.storeKey, securityOf("PROVAUT"));
  return { secure3dhash: hash, ...fields };
}

/** Posts the form, and the correct code if the issuer asks for one. */
export async function authenticate(
  { url }: { url: string },
  changes: Record<string, string> = {},
  answer: Record<string, string> = { code: "123456", answer: "submit" },
): Promise<Page> {
  const page = await submit(`${url}/servlet/gt3dengine`, gateForm(changes));
  return page.action.endsWith("/acs/answer") ? submit(page.action, { ...page.fields, ...answer }) : page;
}

/** The payment after 3-D Secure. */
export function complete(fields: Record<string, string>, changes: Fields = {}): Fields {
  return {
    Type: "sales",
    CardholderPresentCode: "13",
    MotoInd: "N",
    "Transaction/Secure3D/AuthenticationCode": fields["cavv"] ?? "",
    "Transaction/Secure3D/SecurityLevel": fields["eci"] ?? "",
    "Transaction/Secure3D/TxnID": fields["xid"] ?? "",
    "Transaction/Secure3D/Md": fields["md"] ?? "",
    ...changes,
  };
}
