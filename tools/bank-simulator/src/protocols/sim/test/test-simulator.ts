import { randomUUID } from "node:crypto";

import { startBankOf } from "../../../core/test/test-bank.ts";
import type { SimulatorConfig } from "../config.ts";
import { protocol } from "../index.ts";
import type { LedgerLine } from "../ledger-line.ts";

/** The body of an answer with every field that a test may ask about. */
export type AnsweredBody = Record<string, unknown> & {
  outcome?: string;
  resultCode?: string;
  amountMinor?: number;
};

export type TestSimulator = Awaited<ReturnType<typeof startTestSimulator>>;

export async function startTestSimulator(options: Partial<SimulatorConfig> = {}) {
  const bank = await startBankOf<SimulatorConfig, LedgerLine>(protocol, { hangMs: 300, ...options });
  const post = (path: string, body: object | string = {}, method: "POST" | "PUT" = "POST") =>
    bank.call<AnsweredBody>(method, path, body);
  const inquire = async (reference: string) =>
    (await bank.call<AnsweredBody>("GET", `/v1/operations/${reference}`)).body;
  return Object.assign(bank, { post, inquire });
}

/** An authorization or a sale of 10.00 EUR, with a minute until its expiry. */
export function cardBody(overrides: object = {}) {
  return {
    reference: randomUUID() as string,
    amountMinor: 1_000,
    currency: "EUR",
    expiresAt: ahead(),
    card: CARD,
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

export const CARD = { pan: "4111111111111111", expiryMonth: "12", expiryYear: "30", cvv: "987" };

/** The fields of an enrolment in addition to a payment's; the card needs no challenge. */
export function threeDsFields(pan = "4000000000003055") {
  return {
    operation: "sale",
    card: { ...CARD, pan },
    returnUrl: "https://gateway.example/3ds/return",
    sessionExpiresAt: ahead(),
  };
}

/** The body of a call that is approved; its parent is created first. */
export async function bodyFor({ post }: Pick<TestSimulator, "post">, operation: string) {
  const card = cardBody();
  if (operation === "authorize" || operation === "sale") return card;
  await post(operation === "refund" ? "/v1/sale" : "/v1/authorize", card);
  return operation === "reverse" ? reversalBody(card.reference) : followUpBody(card.reference);
}
