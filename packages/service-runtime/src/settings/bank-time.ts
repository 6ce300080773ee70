import type { z } from "zod";
import { durationSetting } from "./config.ts";

/** The one number that all waits for a bank follow from. */
export const bankTimeSettings = {
  ACQUIRER_TIMEOUT: durationSetting()
    .default(15_000)
    .describe(
      "How long one call to a bank may take. What waits for the bank waits longer by itself: commands, requests, pages and leases. Payments at a bank that takes 25 s need this setting alone; a load balancer in front has to wait 5 s longer than it.",
    ),
};

type Given = { ACQUIRER_TIMEOUT: number } & {
  [Name in "HANDLER_TIMEOUT" | "REQUEST_TIMEOUT" | "OPERATOR_API_TIMEOUT" | "LEASE_DURATION"]?:
    | number
    | undefined;
};

/** The waits around a call to a bank, in milliseconds, each longer than the one inside it. */
export function bankWaits(given: Given) {
  const bankMs = given.ACQUIRER_TIMEOUT;
  const commandMs = given.HANDLER_TIMEOUT ?? Math.max(18_000, bankMs + 3_000);
  const requestMs = given.REQUEST_TIMEOUT ?? Math.max(20_000, commandMs + 2_000);
  return {
    bankMs,
    commandMs,
    requestMs,
    pageMs: given.OPERATOR_API_TIMEOUT ?? Math.max(25_000, requestMs + 5_000),
    leaseMs: given.LEASE_DURATION ?? Math.max(30_000, 3 * bankMs),
  };
}

/** Refuses waits that end before what they wait for: its outcome would be unknown for no reason. */
export function checkBankWaits({ value, issues }: z.core.ParsePayload<Given>): void {
  const { bankMs, commandMs, requestMs, pageMs, leaseMs } = bankWaits(value);
  const refuse = (name: keyof Given, message: string) =>
    issues.push({ code: "custom", input: undefined, path: [name], message });
  if (commandMs <= bankMs) refuse("HANDLER_TIMEOUT", "must be more than ACQUIRER_TIMEOUT");
  if (requestMs <= commandMs) refuse("REQUEST_TIMEOUT", "must be more than HANDLER_TIMEOUT");
  if (pageMs <= requestMs)
    refuse("OPERATOR_API_TIMEOUT", "must be more than a request to the gateway may take");
  // An attempt makes at most two calls and has to end before its lease does.
  if (leaseMs < 3 * bankMs) refuse("LEASE_DURATION", "must be at least three times ACQUIRER_TIMEOUT");
}
