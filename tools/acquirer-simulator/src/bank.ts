import type { LedgerEntry } from "./ledger.ts";

/** Everything the bank knows under one reference. The sums are of its approved follow-ups. */
export type Account = {
  /** The operation under this reference; undefined where only a reversal has come. */
  entry: LedgerEntry | undefined;
  reversal: LedgerEntry | undefined;
  capturedMinor: bigint;
  releasedMinor: bigint;
  refundedMinor: bigint;
  cancelled: boolean;
};

/** The bank's state: it is derived from the ledger's entries alone, so that a restart can rebuild it from them. */
export class Bank {
  readonly #accounts = new Map<string, Account>();

  account(reference: string): Account | undefined {
    return this.#accounts.get(reference);
  }

  /** Applies an entry that `bank-rules.ts` has decided on, now or before a restart. */
  apply(entry: LedgerEntry): void {
    const account = this.#openAccount(entry.reference);
    if (entry.operation === "reverse") {
      account.reversal = entry;
      return;
    }
    account.entry = entry;
    if (entry.outcome === "declined") return;
    // A sale is captured from the start; follow-ups count at their parent.
    if (entry.operation === "sale") account.capturedMinor = entry.amountMinor;
    if (entry.parentReference !== null) applyFollowUp(this.#openAccount(entry.parentReference), entry);
  }

  #openAccount(reference: string): Account {
    const known = this.#accounts.get(reference);
    if (known) return known;
    const account: Account = {
      entry: undefined,
      reversal: undefined,
      capturedMinor: 0n,
      releasedMinor: 0n,
      refundedMinor: 0n,
      cancelled: false,
    };
    this.#accounts.set(reference, account);
    return account;
  }
}

function applyFollowUp(parent: Account, entry: LedgerEntry): void {
  switch (entry.operation) {
    case "capture":
      parent.capturedMinor += entry.amountMinor;
      return;
    case "release":
      parent.releasedMinor += entry.amountMinor;
      return;
    case "refund":
      parent.refundedMinor += entry.amountMinor;
      return;
    case "cancel":
      parent.cancelled = true;
      return;
    case "authorize":
    case "sale":
    case "reverse":
      throw new Error(`${entry.operation} has no parent`);
    default:
      entry.operation satisfies never;
  }
}
