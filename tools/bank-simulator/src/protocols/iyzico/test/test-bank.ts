import { createHmac } from "node:crypto";

import { startBankOf } from "../../../core/test/test-bank.ts";
import type { SimulatorConfig } from "../config.ts";
import { protocol, type LedgerLine } from "../index.ts";
import { sandboxKeys, Shop, type Answer } from "./shop.ts";

export type TestBank = Awaited<ReturnType<typeof startTestBank>>;

/** Two merchants, and a day in the middle of June; 21:30 in UTC is half past midnight of the 16th in Istanbul. */
export async function startTestBank(options: Partial<SimulatorConfig> = {}) {
  const clock = { nowMs: Date.parse("2030-06-15T21:30:00Z") };
  const otherKeys = { apiKey: "sandbox-second", secretKey: "sandbox-second-secret" };
  const merchants = [
    { ...sandboxKeys, merchantId: "1000001" },
    { ...otherKeys, merchantId: "1000002" },
  ];
  const bank = await startBankOf<SimulatorConfig, LedgerLine>(protocol, {
    merchants,
    machineNow: () => clock.nowMs,
    ...options,
  });
  /** `sale approved, refund declined` */
  const movements = async () =>
    (await bank.ledger()).map(({ operation, outcome }) => `${operation} ${outcome}`).join(", ");
  const shops = { shop: new Shop(bank), other: new Shop(bank, otherKeys) };
  /** The payments of a report. */
  const report = async (query: Record<string, string | undefined>) => {
    const asked = JSON.parse(JSON.stringify(query)) as Record<string, string>;
    const { body } = await shops.shop.get("/v2/reporting/payment/details", asked);
    return body["payments"] as Answer[];
  };
  return Object.assign(bank, { ...shops, clock, movements, report });
}

/** The fields that every follow-up has. */
export function followUp(conversationId = "follow-1") {
  return { locale: "en", conversationId, ip: "203.0.113.7", currency: "TRY" };
}

export function hmac(text: string): string {
  return createHmac("sha256", sandboxKeys.secretKey).update(text).digest("hex");
}
