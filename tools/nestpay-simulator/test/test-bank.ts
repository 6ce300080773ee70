import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { LedgerLine } from "../src/bank/ledger-line.ts";
import { merchantsSchema, type Merchant } from "../src/merchants.ts";
import { defaultModes, type Modes } from "../src/modes.ts";
import { startNestpaySimulator, type StartOptions } from "../src/nestpay-simulator.ts";
import { readXml } from "../src/wire/read-xml.ts";

export const CLIENT_ID = "990000001";
export const STORE_KEY = "TEST1234";

/** The elements of an answer by their path, such as `Extra/ERRORCODE`. */
export type Answer = Record<string, string | undefined>;

export type TestBank = AsyncDisposable & {
  readonly url: string;
  ledgerFile: string;
  /** Posts a CC5Request of the test merchant; `null` leaves an element out. */
  ask(fields: Record<string, string | null>): Promise<Answer>;
  /** Posts a body as it stands. */
  post(body: string | Buffer, contentType?: string): Promise<Response>;
  status(orderId: string): Promise<Answer>;
  /** The rows of ORDERHISTORY, newest first, split at the tabs. */
  history(orderId: string): Promise<string[][]>;
  control(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }>;
  fault(operation: string, behaviour: string, times?: number): Promise<void>;
  modes(modes: Partial<Modes>): Promise<void>;
  endDay(): Promise<void>;
  advance(seconds: number): Promise<void>;
  ledger(): Promise<LedgerLine[]>;
  /** Stops it and starts it again on the same ledger. */
  restart(): Promise<void>;
};

type Options = Partial<Omit<StartOptions, "ledgerFile" | "modes">> & {
  modes?: Partial<Modes>;
  options?: object;
};

/** The machine's time in tests: noon of 22 November 2026 in Turkey. */
export const NOON = Date.parse("2026-11-22T09:00:00Z");

export function merchant(changes: object = {}): Merchant {
  const [only] = merchantsSchema.parse([
    { clientId: CLIENT_ID, name: "apiuser", password: "s3cret-pass", storeKey: STORE_KEY, ...changes },
  ]);
  if (!only) throw new Error("no merchant");
  return only;
}

/** A bank in this process with a ledger of its own, which is removed at the end. Its clock stands still. */
export async function startTestBank({ modes, options, ...rest }: Options = {}): Promise<TestBank> {
  const folder = await mkdtemp(join(tmpdir(), "nestpay-"));
  const ledgerFile = join(folder, "ledger.ndjson");
  const initialModes = { ...defaultModes, ...modes };
  const start = () =>
    startNestpaySimulator({
      ledgerFile,
      merchants: [merchant({ options: options ?? {} })],
      machineNow: () => NOON,
      hangMs: 50,
      latenessMs: 50,
      modes: initialModes,
      ...rest,
    });
  let simulator = await start();
  const post = (body: string | Buffer, contentType = "text/xml") =>
    fetch(`${simulator.url}/fim/api`, {
      method: "POST",
      body: typeof body === "string" ? body : new Uint8Array(body),
      headers: { "content-type": contentType },
    });
  const ask = async (fields: Record<string, string | null>) =>
    readAnswer(await post(requestXml({ ...credentials, ...fields })));
  const control = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${simulator.url}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  const change = async (method: string, path: string, body?: object) => {
    const { status } = await control(method, path, body);
    if (status !== 200) throw new Error(`${method} ${path} answers ${status}`);
  };
  return {
    get url() {
      return simulator.url;
    },
    ledgerFile,
    ask,
    post,
    status: (OrderId) => ask({ OrderId, "Extra/ORDERSTATUS": "QUERY" }),
    history: async (OrderId) => {
      const answer = await ask({ OrderId, "Extra/ORDERHISTORY": "QUERY" });
      const count = Number(answer["Extra/TRXCOUNT"]);
      return Array.from({ length: count }, (_, index) => (answer[`Extra/TRX${index + 1}`] ?? "").split("\t"));
    },
    control,
    fault: (operation, behaviour, times = 1) => change("POST", "/faults", { operation, behaviour, times }),
    modes: (changes) => change("PUT", "/modes", changes),
    endDay: () => change("POST", "/business-day/close"),
    advance: (advanceSeconds) => change("POST", "/clock", { advanceSeconds }),
    ledger: async () =>
      (await (await fetch(`${simulator.url}/ledger`)).text())
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as LedgerLine),
    restart: async () => {
      await simulator.close();
      simulator = await start();
    },
    [Symbol.asyncDispose]: async () => {
      await simulator.close();
      await rm(folder, { recursive: true });
    },
  };
}

export const credentials = { Name: "apiuser", Password: "s3cret-pass", ClientId: CLIENT_ID };

export const GOOD_CARD = "4355084355084358";

/** An Auth of 12.50 TRY. */
export function auth(OrderId: string, changes: Record<string, string | null> = {}) {
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
export function preAuth(OrderId: string, changes: Record<string, string | null> = {}) {
  return auth(OrderId, { Type: "PreAuth", ...changes });
}

export function requestXml(fields: Record<string, string | null>): string {
  const element = (name: string, text: string) =>
    `<${name}>${text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</${name}>`;
  const entries = Object.entries(fields).flatMap(([name, text]) =>
    text === null ? [] : [[name, text] as const],
  );
  const plain = entries.filter(([name]) => !name.startsWith("Extra/"));
  const extra = entries.filter(([name]) => name.startsWith("Extra/"));
  return `<?xml version="1.0" encoding="UTF-8"?><CC5Request>${plain
    .map(([name, text]) => element(name, text))
    .join(
      "",
    )}<Extra>${extra.map(([name, text]) => element(name.slice(6), text)).join("")}</Extra></CC5Request>`;
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
