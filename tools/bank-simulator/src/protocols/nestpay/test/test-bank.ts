import { startBankOf } from "../../../core/test/test-bank.ts";
import type { SimulatorConfig } from "../config.ts";
import { protocol } from "../index.ts";
import type { LedgerLine } from "../ledger-line.ts";
import { merchantsSchema } from "../merchants.ts";
import { defaultModes, type Modes } from "../modes.ts";
import { readXml } from "../../../core/index.ts";

export const CLIENT_ID = "990000001";
export const STORE_KEY = "TEST1234";
export const GOOD_CARD = "4355084355084358";
export const credentials = { Name: "apiuser", Password: "s3cret-pass", ClientId: CLIENT_ID };
export const other = { Name: "apiuser", Password: "other", ClientId: "990000002" };

/** The elements of an answer by their path, such as `Extra/ERRORCODE`. */
export type Answer = Record<string, string | undefined>;
/** The elements of a request; `null` leaves one out. */
export type Fields = Record<string, string | null>;
export type TestBank = Awaited<ReturnType<typeof startTestBank>>;

type Options = Partial<Omit<SimulatorConfig, "ledgerFile" | "modes">> & {
  modes?: Partial<Modes>;
  options?: object;
  /** A second merchant, `other`. */
  isShared?: boolean;
};

/** The machine's time in tests: noon of 22 November 2026 in Turkey. */
export const NOON = Date.parse("2026-11-22T09:00:00Z");

/** A bank in this process with a ledger of its own, which is removed at the end. Its clock is stopped. */
export async function startTestBank({ modes, options = {}, isShared = false, ...rest }: Options = {}) {
  const store = (names: typeof credentials, own: object) => ({
    clientId: names.ClientId,
    name: names.Name,
    password: names.Password,
    storeKey: STORE_KEY,
    options: own,
  });
  const stores = [store(credentials, options), ...(isShared ? [store(other, {})] : [])];
  const bank = await startBankOf<SimulatorConfig, LedgerLine>(protocol, {
    merchants: merchantsSchema.parse(stores),
    machineNow: () => NOON,
    modes: { ...defaultModes, ...modes },
    ...rest,
  });
  const post = (body: string | Buffer, contentType = "text/xml") =>
    fetch(`${bank.url}/fim/api`, {
      method: "POST",
      body: typeof body === "string" ? body : new Uint8Array(body),
      headers: { "content-type": contentType },
    });
  const ask = async (fields: Fields) => readAnswer(await post(requestXml({ ...credentials, ...fields })));
  return Object.assign(bank, {
    ask,
    post,
    code: async (fields: Fields) => (await ask(fields))["Extra/ERRORCODE"],
    status: (OrderId: string) => ask({ OrderId, "Extra/ORDERSTATUS": "QUERY" }),
    /** The rows of ORDERHISTORY, newest first, split at the tabs. */
    history: async (OrderId: string) => {
      const answer = await ask({ OrderId, "Extra/ORDERHISTORY": "QUERY" });
      const count = Number(answer["Extra/TRXCOUNT"]);
      return Array.from({ length: count }, (_, index) => (answer[`Extra/TRX${index + 1}`] ?? "").split("\t"));
    },
  });
}

/** An Auth of 12.50 TRY. */
export function auth(OrderId: string, changes: Fields = {}): Fields {
  return {
    Mode: "P",
    Type: "Auth",
    OrderId,
    Total: "12.50",
    Currency: "949",
    Taksit: "",
    Number: GOOD_CARD,
    Expires: "12/30",
    Cvv2Val: "000",
    ...changes,
  };
}

/** A PreAuth of 12.50 TRY. */
export function preAuth(OrderId: string, changes: Fields = {}): Fields {
  return auth(OrderId, { Type: "PreAuth", ...changes });
}

export function requestXml(fields: Fields): string {
  const element = ([name, text]: [string, string | null]) =>
    text === null ? "" : `<${name}>${text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</${name}>`;
  const [extra = [], plain = []] = [true, false].map((isExtra) =>
    Object.entries(fields).filter(([name]) => name.startsWith("Extra/") === isExtra),
  );
  const extras = extra.map(([name, text]) => element([name.slice("Extra/".length), text]));
  return `<?xml version="1.0" encoding="UTF-8"?><CC5Request>${plain.map(element).join("")}<Extra>${extras.join("")}</Extra></CC5Request>`;
}

/** Decodes and reads an answer, and fails for anything but a CC5Response in ISO-8859-9. */
export async function readAnswer(response: Response): Promise<Answer> {
  if (response.headers.get("content-type") !== "text/xml;charset=ISO-8859-9") throw new Error("content type");
  const text = new TextDecoder("iso-8859-9").decode(await response.arrayBuffer());
  if (!text.startsWith('<?xml version="1.0" encoding="ISO-8859-9"?>')) throw new Error("declaration");
  const elements = readXml(text, "CC5Response");
  if (!elements) throw new Error("not a CC5Response");
  return Object.fromEntries(elements);
}
