import { randomUUID } from "node:crypto";

import { afterAll } from "vitest";
import type {
  CardRequest,
  EnrolmentRequest,
  FollowUpRequest,
  InquiryRequest,
  ReversalRequest,
} from "@holdfast/acquirer";
import type { BusinessDay, ProbedAcquirer } from "@holdfast/acquirer";
import { orderIdOf } from "@holdfast/acquirer";
import { nestpayConnector } from "../nestpay-connector.ts";
import { nestpaySecrets, nestpaySettings } from "../nestpay-settings.ts";
import { startScriptedBank } from "./scripted-bank.ts";

export const PAN = "4355084355084358";
export const SECRETS = { apiUser: "apiuser", apiPassword: "TEST1111", storeKey: "KEY2222x" };
export const CLIENT_ID = "990000001";

type AccountSettings = { businessDay?: BusinessDay; [setting: string]: unknown };

/** A scripted bank for the tests of a file, and an account at it. Both are closed when the tests have ended. */
export async function playBank(settings?: AccountSettings) {
  const bank = await startScriptedBank();
  const acquirer = connectTo(bank.url, settings);
  afterAll(async () => {
    await acquirer.close();
    await bank.close();
  });
  return { bank, acquirer };
}

/**
 * An account at a bank that a test plays. It confirms no amounts unless the settings say so: each call is one request.
 */
export function connectTo(
  url: string,
  { businessDay = BUSINESS_DAY, ...settings }: AccountSettings = {},
): ProbedAcquirer {
  const account = {
    accountId: "account-1",
    version: 1,
    settings: nestpaySettings.parse({
      apiUrl: `${url}/fim/api`,
      gateUrl: `${url}/fim/est3Dgate`,
      clientId: CLIENT_ID,
      confirmAmounts: false,
      ...settings,
    }),
    businessDay,
  };
  const wire = { connectionsMax: 8, connectTimeoutMs: 60_000, allowPlaintext: false };
  return nestpayConnector.connect(account, nestpaySecrets.parse(SECRETS), wire);
}

export const BUSINESS_DAY: BusinessDay = { timeZone: "Europe/Istanbul", cutOff: "23:00" };

/** More time than any honest answer takes. */
export const soon = () => new Date(Date.now() + 60_000);

export function cardCall(overrides: Partial<CardRequest> = {}): CardRequest {
  const reference = randomUUID();
  return {
    reference,
    orderId: orderIdOf(reference),
    amountMinor: 10_000n,
    currency: "TRY",
    card: { pan: PAN, expiryMonth: "12", expiryYear: "30", cvv: "917" },
    cardHolderName: "Ada Lovelace",
    installmentCount: 1,
    customer: { ip: "203.0.113.7", email: "a@b.test" },
    expiresAt: soon(),
    ...overrides,
  };
}

export function enrolment(overrides: Partial<EnrolmentRequest> = {}): EnrolmentRequest {
  return {
    ...cardCall(),
    operation: "sale",
    returnUrl: "https://gateway.example/3ds/return/state",
    sessionExpiresAt: soon(),
    ...overrides,
  };
}

/** A follow-up of a payment of the bank's previous business day, unless `target` says otherwise. */
export function followUp(overrides: Partial<FollowUpRequest> = {}): FollowUpRequest {
  const { orderId, amountMinor, currency, reference } = cardCall();
  const at = new Date(Date.now() - 48 * 3_600_000);
  return {
    reference: `${reference}:capture`,
    orderId,
    amountMinor,
    currency,
    parentReference: reference,
    target: { externalTransactionId: "T1", amountMinor, at },
    waitUntil: soon(),
    ...overrides,
  };
}

export function reversal(overrides: Partial<ReversalRequest> = {}): ReversalRequest {
  const { reference, orderId, amountMinor, currency, target, waitUntil } = followUp();
  return { reference, orderId, amountMinor, currency, target, waitUntil, operation: "sale", ...overrides };
}

export function inquiryOf(orderId: string, overrides: Partial<InquiryRequest> = {}): InquiryRequest {
  const since = new Date();
  return { reference: "r", orderId, kind: "sale", currency: "TRY", since, waitUntil: soon(), ...overrides };
}
