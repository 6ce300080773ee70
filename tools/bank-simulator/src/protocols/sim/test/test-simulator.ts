import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { SimulatorConfig } from "../config.ts";
import { protocol } from "../index.ts";
import type { LedgerLine } from "../ledger-line.ts";

/** The body of an answer with every field that a test may ask about. */
export type AnsweredBody = Record<string, unknown> & {
  outcome?: string;
  resultCode?: string;
  amountMinor?: number;
};

export type TestSimulator = AsyncDisposable & {
  ledgerFile: string;
  post(path: string, body?: object | string, method?: "POST" | "PUT"): Promise<Answered>;
  inquire(reference: string): Promise<AnsweredBody>;
  get(path: string): Promise<Answered>;
  text(path: string): Promise<string>;
  ledger(): Promise<LedgerLine[]>;
  /** Starts it again on the same ledger. */
  restart(): Promise<void>;
};

export type Answered = { status: number; body: AnsweredBody };

/** A simulator in this process with a ledger of its own, which is removed at the end. */
export async function startTestSimulator(options: Partial<SimulatorConfig> = {}): Promise<TestSimulator> {
  const folder = await mkdtemp(join(tmpdir(), "simulator-"));
  const ledgerFile = join(folder, "ledger.ndjson");
  const start = () => protocol.start({ ledgerFile, hangMs: 300, ...options });
  let simulator = await start();
  const call = async (path: string, init?: RequestInit): Promise<Answered> => {
    const response = await fetch(`${simulator.url}${path}`, init);
    return { status: response.status, body: (await response.json()) as AnsweredBody };
  };
  return {
    ledgerFile,
    post: (path, body = {}, method = "POST") =>
      call(path, { method, body: typeof body === "string" ? body : JSON.stringify(body) }),
    inquire: async (reference) => (await call(`/v1/operations/${reference}`)).body,
    get: (path) => call(path),
    text: async (path) => (await fetch(`${simulator.url}${path}`)).text(),
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

/** An authorization or a sale of 10.00 EUR, with a minute until its expiry. */
export function cardBody(overrides: object = {}) {
  return {
    reference: randomUUID() as string,
    amountMinor: 1_000,
    currency: "EUR",
    expiresAt: ahead(),
    card: { pan: "4111111111111111", expiryMonth: "12", expiryYear: "30", cvv: "987" },
    cardHolderName: "Ada Lovelace",
    installmentCount: 1,
    ...overrides,
  };
}

/** A capture, cancel, release or refund of 10.00 EUR, which never expires. */
export function followUpBody(parentReference: string, overrides: object = {}) {
  return {
    reference: randomUUID() as string,
    parentReference,
    amountMinor: 1_000,
    currency: "EUR",
    ...overrides,
  };
}

/** A reversal of 10.00 EUR, which never expires. */
export function reversalBody(reference: string, overrides: object = {}) {
  return { reference, amountMinor: 1_000, currency: "EUR", ...overrides };
}

export function ahead(): string {
  return new Date(Date.now() + 60_000).toISOString();
}

export function ago(): string {
  return new Date(Date.now() - 1).toISOString();
}
