import { createHmac } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { SimulatorConfig } from "../config.ts";
import { protocol, type LedgerLine } from "../index.ts";
import { sandboxKeys, Shop, type Answer } from "./shop.ts";

export type TestBank = Awaited<ReturnType<typeof startTestBank>>;

/** Two merchants, and a day in the middle of June; 21:30 in UTC is half past midnight of the 16th in Istanbul. */
export async function startTestBank(options: Partial<SimulatorConfig> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "iyzico-"));
  const ledgerFile = join(folder, "ledger.ndjson");
  const clock = { nowMs: Date.parse("2030-06-15T21:30:00Z") };
  const otherKeys = { apiKey: "sandbox-second", secretKey: "sandbox-second-secret" };
  const merchants = [
    { ...sandboxKeys, merchantId: "1000001" },
    { ...otherKeys, merchantId: "1000002" },
  ];
  const start = () =>
    protocol.start({
      ledgerFile,
      merchants,
      hangMs: 50,
      latenessMs: 50,
      machineNow: () => clock.nowMs,
      ...options,
    });
  let simulator = await start();
  const bank = {
    clock,
    ledgerFile,
    url: "",
    shop: new Shop(""),
    other: new Shop(""),
    ask: async (method: string, path: string, body?: object) => {
      const init = { method, ...(body && { body: JSON.stringify(body) }) };
      const response = await fetch(`${simulator.url}${path}`, init);
      if (response.status !== 200) throw new Error(`${path} was answered ${response.status}`);
      return await response.text();
    },
    modes: (changes: object) => bank.ask("PUT", "/modes", changes),
    queue: (operation: string, behaviour: string) => bank.ask("POST", "/faults", { operation, behaviour }),
    closeDay: () => bank.ask("POST", "/business-day/close"),
    ledger: async () => {
      const lines = (await bank.ask("GET", "/ledger")).split("\n").filter((line) => line !== "");
      return lines.map((line) => JSON.parse(line) as LedgerLine);
    },
    /** `sale approved, refund declined` */
    movements: async () =>
      (await bank.ledger()).map(({ operation, outcome }) => `${operation} ${outcome}`).join(", "),
    /** The payments of a report. */
    report: async (query: Record<string, string | undefined>) => {
      const asked = JSON.parse(JSON.stringify(query)) as Record<string, string>;
      const { body } = await bank.shop.get("/v2/reporting/payment/details", asked);
      return body["payments"] as Answer[];
    },
    restart: async () => {
      await simulator.close();
      simulator = await start();
      point();
    },
    [Symbol.asyncDispose]: async () => {
      await simulator.close();
      await rm(folder, { recursive: true });
    },
  };
  const point = () => {
    bank.url = simulator.url;
    bank.shop = new Shop(simulator.url);
    bank.other = new Shop(simulator.url, otherKeys);
  };
  point();
  return bank;
}

/** The fields that every follow-up has. */
export function followUp(conversationId = "follow-1") {
  return { locale: "en", conversationId, ip: "203.0.113.7", currency: "TRY" };
}

export function hmac(text: string): string {
  return createHmac("sha256", sandboxKeys.secretKey).update(text).digest("hex");
}
