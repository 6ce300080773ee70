import { join } from "node:path";
import type { ProbedAcquirer } from "@holdfast/acquirer";
import { namesPayment } from "../support/names-payment.ts";
import { BANK_PROTOCOLS, type AdapterName } from "./bank-protocols.ts";

/** A bank that is played, as the suite for every adapter needs it. */
export type PlayedBank = {
  /** The account for it, without a name. */
  account: { protocol: AdapterName; settings: Record<string, unknown>; secrets: Record<string, string> };
  /** Connects with the account's own credentials, or with wrong ones; `url` replaces the bank's address. */
  connect(changes?: { url?: string; wrongSecrets?: boolean }): ProbedAcquirer;
  /** Sets the bank's behaviour at its next call of an operation. */
  will(operation: string, behaviour: string): Promise<void>;
  /** Changes how the bank behaves from here on. */
  mode(modes: object): Promise<void>;
  closeDay(): Promise<void>;
  /** Moves the bank's clock forward. */
  advance(seconds: number): Promise<void>;
  /** The bank's lines for a payment, as `operation outcome amount`. @param reference ours of the payment. */
  ledger(reference: string): Promise<string[]>;
  close(): Promise<void>;
};

export async function playBank(name: AdapterName, dir: string): Promise<PlayedBank> {
  const { connector, start, settings, secrets, wrong, wrongSettings } = BANK_PROTOCOLS[name];
  const bank = await start(join(dir, `${name}.ndjson`), 500);
  const send = async (method: "POST" | "PUT", path: string, body: object) => {
    const { ok, status } = await fetch(`${bank.url}${path}`, {
      method,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!ok) throw new Error(`${name} answers ${path} with ${status}`);
  };
  return {
    account: { protocol: name, settings: settings(bank.url), secrets },
    connect({ url = bank.url, wrongSecrets = false } = {}) {
      const account = {
        accountId: "account-1",
        version: 1,
        settings: connector.settings.parse({ ...settings(url), ...(wrongSecrets && wrongSettings) }),
        businessDay: { timeZone: "Europe/Istanbul", cutOff: "00:00" },
      };
      const wire = { connectionsMax: 16, connectTimeoutMs: 60_000, allowPlaintext: true };
      return connector.connect(account, connector.secrets.parse(wrongSecrets ? wrong : secrets), wire);
    },
    will: (operation, behaviour) => send("POST", "/faults", { operation, behaviour, times: 1 }),
    mode: (modes) => send("PUT", "/modes", modes),
    closeDay: () => send("POST", "/business-day/close", {}),
    advance: (advanceSeconds) => send("POST", "/clock", { advanceSeconds }),
    async ledger(reference) {
      const text = await (await fetch(`${bank.url}/ledger`)).text();
      return text
        .split("\n")
        .filter((line) => namesPayment(line, reference))
        .map((line) => JSON.parse(line) as { operation: string; outcome: string; amountMinor: number })
        .map(({ operation, outcome, amountMinor }) => `${operation} ${outcome} ${amountMinor}`);
    },
    close: () => bank.close(),
  };
}
