import type { SandboxBank, SandboxFile } from "@holdfast/sandbox";
import { expect } from "vitest";
import { eventually } from "../support/index.ts";
import { client, type Answer, type Client } from "./running-sandbox.ts";
import { namesPayment } from "../support/names-payment.ts";

/** A line of a bank's ledger, as far as all banks have it in common. */
export type BankLine = {
  operation: "authorize" | "sale" | "capture" | "void" | "refund";
  orderId: string;
  amountMinor: number;
  currency: string;
  outcome: "approved" | "declined";
  pan: string | null;
};

/** A shop at one of the sandbox's banks, and the bank's own book beside it. */
export type ShopAtBank = {
  bank: SandboxBank;
  api: Client;
  operator: Client;
  /** A refund of the amount, requested and approved. @returns the refund's id. */
  refund(paymentId: string, amount: number): Promise<string>;
  /** Reads a payment or a refund until it is no longer undecided. */
  settled(id: string): Promise<Answer["body"]>;
  /** The bank's lines about a payment. */
  lines(paymentId: string): Promise<BankLine[]>;
  /** The payment's approved operations, as `operation amount`. */
  book(paymentId: string): Promise<string[]>;
  /** The bank bends its next call of this kind. */
  bend(operation: string, behaviour: string): Promise<void>;
  closeDay(): Promise<void>;
};

export function shopAtBank(file: SandboxFile, protocol: string): ShopAtBank {
  const bank = file.banks!.find((one) => one.protocol === protocol)!;
  const { apiKey, apiSecret } = bank.merchant;
  const api = client(file.gatewayUrl, { "X-API-KEY": apiKey, "X-API-SECRET": apiSecret });
  const operator = client(file.operatorUrl, { Authorization: `Bearer ${file.operators[0]!.token}` });
  const lines = async (paymentId: string) => linesOf(await read(bank.ledgerUrl), paymentId);
  return {
    bank,
    api,
    operator,
    lines,
    async refund(paymentId, amount) {
      const asked = await api("POST", `/api/payment/${paymentId}/refund`, { amount, currency: "TRY" });
      expect(asked.status).toBe(202);
      const refundId: string = asked.body.paymentId;
      expect((await operator("POST", `/operator/refunds/${refundId}/approve`, {})).status).toBe(200);
      return refundId;
    },
    settled: (id) =>
      eventually(
        async () => {
          const { body } = await api("GET", `/api/payment/${id}`);
          return !UNDECIDED.has(body.status) && body;
        },
        { everyMs: 100 },
      ),
    book: async (paymentId) =>
      (await lines(paymentId))
        .filter(({ outcome }) => outcome === "approved")
        .map(({ operation, amountMinor }) => `${operation} ${amountMinor}`),
    bend: (operation, behaviour) => post(`${bank.url}/faults`, { operation, behaviour, times: 1 }),
    closeDay: () => post(`${bank.url}/business-day/close`, {}),
  };
}

const UNDECIDED = new Set(["ENROLLED", "PENDING_APPROVAL"]);

function linesOf(ledger: string, paymentId: string): BankLine[] {
  return ledger
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as BankLine)
    .filter(({ orderId }) => namesPayment(orderId, paymentId));
}

async function read(url: string): Promise<string> {
  return await (await fetch(url)).text();
}

async function post(url: string, body: object): Promise<void> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
}
