import type {
  BusinessDay,
  CardRequest,
  EnrolmentRequest,
  FollowUpRequest,
  InquiryRequest,
  ProbedAcquirer,
  ReversalRequest,
} from "@holdfast/acquirer";
import { afterAll } from "vitest";

import * as calls from "../../test/calls.ts";
import { nestpayConnector } from "../nestpay-connector.ts";
import { nestpaySecrets, nestpaySettings } from "../nestpay-settings.ts";
import { startScriptedBank } from "./scripted-bank.ts";

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
  { businessDay = calls.BUSINESS_DAY, ...settings }: AccountSettings = {},
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

const customer = { ip: "203.0.113.7", email: "a@b.test" };
const { soon, CARD } = calls;
export { CARD, soon };
export const PAN = CARD.pan;

export const cardCall = (more: Partial<CardRequest> = {}) => calls.cardRequest({ customer, ...more });
export const enrolment = (more: Partial<EnrolmentRequest> = {}) =>
  calls.enrolmentRequest({ customer, ...more });

/** A follow-up of a payment of the bank's previous business day, unless `target` says otherwise. */
export function followUp(more: Partial<FollowUpRequest> = {}): FollowUpRequest {
  const parent = cardCall();
  const at = new Date(Date.now() - 48 * 3_600_000);
  const target = { externalTransactionId: "T1", amountMinor: parent.amountMinor, at };
  return calls.followUpRequest(parent, { target, ...more });
}

export function reversal(more: Partial<ReversalRequest> = {}): ReversalRequest {
  return calls.reversalRequest(cardCall(), { target: followUp().target, ...more });
}

export function inquiryOf(orderId: string, more: Partial<InquiryRequest> = {}): InquiryRequest {
  return calls.inquiryRequest({ reference: "r", orderId, currency: "TRY" }, more);
}
