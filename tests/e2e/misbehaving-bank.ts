import type { SandboxFile } from "@holdfast/sandbox";
import { bankEnvironment, bankProtocols, type BankProtocol } from "@holdfast/sandbox/banks";
import { expect } from "vitest";
import { faultsOf } from "../support/bank-faults.ts";
import { shopAtBank, type BankLine, type ShopAtBank } from "./shop-at-bank.ts";

export const BANKS = bankProtocols;
export type Protocol = BankProtocol;

/** Every way in which a bank treats a call of this operation, but a second success, which people have to resolve. */
export function behavioursOf(protocol: Protocol, operation: string): readonly string[] {
  return faultsOf(protocol, operation).filter((behaviour) => behaviour !== "twice");
}

/**
 * The cases with the one that ends the day first. A sale that the record shows in another amount can be voided
 * only on its day; a refund of that amount needs an operator, since no bank pays it.
 */
export function dayEndFirst(behaviours: readonly string[]): readonly string[] {
  const endsDay = (behaviour: string) => Number(behaviour === "day_closes");
  return behaviours.toSorted((one, other) => endsDay(other) - endsDay(one));
}

/** Shortens waits of a quarter of an hour to seconds. */
export const SOON = {
  ACQUIRER_TIMEOUT: "2s",
  ACQUIRER_LATE_ARRIVAL: "4s",
  RECOVERY_SCHEDULE: "200ms,500ms,1s,2s",
  RECOVERY_INTERVAL: "100ms",
  REVERSE_UNSEEN_AFTER: "2s",
  NESTPAY_SIMULATOR_REVERSAL: "500ms",
  ...Object.assign(
    {},
    ...bankProtocols.map((protocol) => bankEnvironment(protocol, { HANG: "6s", LATENESS: "3s" })),
  ),
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
