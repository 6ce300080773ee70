import type { AcquirerWire, CompletionRequest, ProbedAcquirer } from "@holdfast/acquirer";
import { afterAll } from "vitest";

import { BUSINESS_DAY, cardRequest } from "../../test/calls.ts";
import { iyzicoConnector } from "../iyzico-acquirer.ts";
import type { IyzicoSettings } from "../iyzico-settings.ts";
import { SECRETS, sign, startScriptedIyzico } from "./scripted-iyzico.ts";

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
