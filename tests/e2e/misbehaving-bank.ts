import type { SandboxFile } from "@holdfast/sandbox";
import { expect } from "vitest";
import { shopAtBank, type BankLine, type ShopAtBank } from "./shop-at-bank.ts";

/** Behaviours of both banks at any call that moves money. */
const COMMON = [
  "decline",
  "hang",
  "hang_before",
  "late",
  "late_effect",
  "http_500",
  "garbage",
  "wrong_amount",
  "control_characters",
  "reset",
] as const;
const OWN = {
  nestpay: [
    "illegal_characters",
    "host_timeout",
    "issuer_unavailable",
    "system_error",
    "gateway_error",
    "gateway_error_before",
    "day_closes",
  ],
  iyzico: ["limited", "wrong_payment_id", "wrong_signature", "unknown_done", "unknown_not_done"],
} as const;
export const BANKS = ["nestpay", "iyzico"] as const;
export type Protocol = (typeof BANKS)[number];

/** Every way in which a bank treats a call that moves money. */
export function behavioursOf(protocol: Protocol): readonly string[] {
  return [...COMMON, ...OWN[protocol]];
}

/** Shortens waits of a quarter of an hour to seconds. */
export const SOON = {
  ACQUIRER_TIMEOUT: "2s",
  ACQUIRER_LATE_ARRIVAL: "4s",
  RECOVERY_SCHEDULE: "200ms,500ms,1s,2s",
  RECOVERY_INTERVAL: "100ms",
  REVERSE_UNSEEN_AFTER: "2s",
  NESTPAY_SIMULATOR_HANG: "6s",
  NESTPAY_SIMULATOR_LATENESS: "3s",
  NESTPAY_SIMULATOR_REVERSAL: "500ms",
  IYZICO_SIMULATOR_HANG: "6s",
  IYZICO_SIMULATOR_LATENESS: "3s",
};

/** A shop at a bank whose calls arrive within four seconds or never. */
export async function shopInHaste(file: SandboxFile, protocol: Protocol): Promise<ShopAtBank> {
  const shop = shopAtBank(file, protocol);
  const account = `/operator/acquirer-accounts/${shop.bank.accountId}`;
  expect((await shop.operator("PATCH", account, { lateArrivalSeconds: 4 })).status).toBe(200);
  return shop;
}

/** The sum that the bank has approved of these operations, in minor units. */
export function sumOf(lines: readonly BankLine[], ...operations: BankLine["operation"][]): bigint {
  return lines
    .filter(({ outcome, operation }) => outcome === "approved" && operations.includes(operation))
    .reduce((sum, { amountMinor }) => sum + BigInt(amountMinor), 0n);
}
