import { randomUUID } from "node:crypto";

import { afterAll } from "vitest";
import type {
  AcquirerCard,
  CardRequest,
  CompletionRequest,
  EnrolmentRequest,
  FollowUpRequest,
  InquiryRequest,
  ReversalRequest,
} from "@holdfast/acquirer";
import type { AcquirerWire, ProbedAcquirer } from "@holdfast/acquirer";
import { orderIdOf } from "@holdfast/acquirer";
import { iyzicoConnector } from "../iyzico-acquirer.ts";
import type { IyzicoSettings } from "../iyzico-settings.ts";
import { SECRETS, sign, startScriptedIyzico } from "./scripted-iyzico.ts";

/** A card of iyzico's sandbox, with a security code that is in no other number of the tests. */
export const CARD: AcquirerCard = {
  pan: "5528790000000008",
  expiryMonth: "12",
  expiryYear: "2030",
  cvv: "739",
};

export const BUSINESS_DAY = { timeZone: "Europe/Istanbul", cutOff: "23:00" };

/** A scripted bank for the tests of a file, and an account at it. Both are closed when the tests have ended. */
export async function playIyzico() {
  const bank = await startScriptedIyzico();
  const acquirer = connectTo(bank.url);
  afterAll(async () => {
    await acquirer.close();
    await bank.close();
  });
  return { bank, acquirer };
}

/** An account at a bank that a test plays. */
export function connectTo(url: string, wire: Partial<AcquirerWire> = {}): ProbedAcquirer {
  return iyzicoConnector.connect(
    { accountId: "account-1", version: 1, settings: settingsOf(url), businessDay: BUSINESS_DAY },
    SECRETS,
    { connectionsMax: 4, connectTimeoutMs: 60_000, allowPlaintext: false, ...wire },
  );
}

/** The settings of the tests. @param url of the scripted bank. */
export function settingsOf(url: string): IyzicoSettings {
  return {
    url,
    locale: "en",
    defaults: {
      email: "orders@shop.example",
      identityNumber: "11111111111",
      ip: "203.0.113.1",
      address: { line1: "Harbour Street 1", city: "Izmir", country: "Turkey" },
      item: { name: "Order", category: "Goods", kind: "virtual" },
    },
  };
}

/** More time than any honest answer takes. */
const soon = () => new Date(Date.now() + 60_000);

export function cardRequest(more: Partial<CardRequest> = {}): CardRequest {
  const reference = randomUUID();
  return {
    reference,
    orderId: orderIdOf(reference),
    amountMinor: 10_000n,
    currency: "TRY",
    card: CARD,
    cardHolderName: "Ada King Lovelace",
    installmentCount: 1,
    expiresAt: soon(),
    ...more,
  };
}

export function enrolmentRequest(more: Partial<EnrolmentRequest> = {}): EnrolmentRequest {
  return {
    ...cardRequest(),
    operation: "sale",
    returnUrl: "https://gateway.example/3ds/return/state",
    sessionExpiresAt: new Date(Date.now() + 600_000),
    ...more,
  };
}

/** A completion with the genuine return of an authenticated cardholder, unless `more` has another. */
export function completionRequest(more: Partial<CompletionRequest> = {}): CompletionRequest {
  const { reference, orderId, amountMinor, currency, installmentCount, expiresAt } = cardRequest();
  return {
    reference,
    orderId,
    amountMinor,
    currency,
    installmentCount,
    expiresAt,
    operation: "sale",
    session: "25149157",
    returned: returnOf({ conversationId: more.orderId ?? orderId }),
    ...more,
  };
}

/** The fields that the browser posts to the callback address, with their signature. */
export function returnOf(given: { conversationId: string } & Record<string, string>) {
  const fields = {
    status: "success",
    paymentId: "25149157",
    conversationData: "",
    mdStatus: "1",
    ...given,
  };
  const { conversationData, conversationId, mdStatus, paymentId, status } = fields;
  const signature = sign(conversationData, conversationId, mdStatus, paymentId, status);
  return { fields: Object.entries({ ...fields, signature }) };
}

export function followUpRequest(parent: CardRequest, more: Partial<FollowUpRequest> = {}): FollowUpRequest {
  return {
    reference: `${parent.reference}:capture:${randomUUID()}`,
    orderId: parent.orderId,
    parentReference: parent.reference,
    amountMinor: parent.amountMinor,
    currency: parent.currency,
    target: { externalTransactionId: "25149157", amountMinor: parent.amountMinor, at: new Date() },
    waitUntil: soon(),
    ...more,
  };
}

export function reversalRequest(parent: CardRequest, more: Partial<ReversalRequest> = {}): ReversalRequest {
  const { reference, orderId, amountMinor, currency } = parent;
  const target = { amountMinor, at: new Date() };
  return {
    reference,
    orderId,
    amountMinor,
    currency,
    operation: "sale",
    target,
    waitUntil: soon(),
    ...more,
  };
}

export function inquiryRequest({ reference, orderId, currency }: CardRequest): InquiryRequest {
  const asked = { kind: "sale" as const, reference, orderId, currency };
  return { ...asked, since: new Date(), waitUntil: soon() };
}
