import { join } from "node:path";
import type { Simulator } from "@holdfast/bank-simulator";
import type { LedgerLine, Modes } from "@holdfast/bank-simulator/sim";

/** The acquirer of a test, which behaves well until a test sets it otherwise. */
export type TestBank = {
  acquirer: Simulator;
  /** Sets the acquirer's behaviour at the next calls of an operation. */
  acquirerWill(operation: string, behaviour: string, times?: number): Promise<void>;
  /** Sends a call that was on its way, or another sender's under our references. @returns the bank's answer. */
  acquirerGets(operation: string, body: Record<string, unknown>): Promise<unknown>;
  /** Forgets the behaviours set for calls that have not come yet. */
  acquirerWillBehave(): Promise<void>;
  /** All that the bank has done, oldest first, a line of JSON each. */
  ledgerText(): Promise<string>;
  /** The whole ledger, parsed. */
  wholeLedger(): Promise<LedgerLine[]>;
};

export type TestBankOptions = {
  /**
   * The time after which the bank drops a call that it never answers, so that the service may wait longer.
   */
  hangMs?: number;
  /** The delay of a late answer. */
  latenessMs?: number;
} & Partial<Modes>;

export async function startTestBank(dir: string, options: TestBankOptions = {}): Promise<TestBank> {
  const { startBank } = await import("@holdfast/bank-simulator");
  const ledgerFile = join(dir, "ledger.ndjson");
  const acquirer = await startBank("sim", { ledgerFile, hangMs: 300, ...options });
  const ledgerText = async () => await (await fetch(`${acquirer.url}/ledger`)).text();
  return {
    acquirer,
    ledgerText,
    async acquirerWill(operation, behaviour, times = 1) {
      const { ok } = await fetch(`${acquirer.url}/faults`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ operation, behaviour, times }),
      });
      if (!ok) throw new Error(`the simulator does not know ${operation} ${behaviour}`);
    },
    async acquirerGets(operation, body) {
      const answer = await fetch(`${acquirer.url}/v1/${operation}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ currency: "TRY", ...body }),
      });
      if (answer.status !== 200) throw new Error(`the simulator answers ${operation} with ${answer.status}`);
      return await answer.json();
    },
    async acquirerWillBehave() {
      await fetch(`${acquirer.url}/faults`, { method: "DELETE" });
    },
    async wholeLedger() {
      const lines = (await ledgerText()).split("\n").filter(Boolean);
      return lines.map((line) => JSON.parse(line) as LedgerLine);
    },
  };
}
