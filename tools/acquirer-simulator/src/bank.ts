import { type LedgerEntry } from "./ledger-entry.ts";

/** The bank's record of one reference. The sums are of its approved follow-ups. */
export type Account = {
  /**
   * The last approved operation under this reference, or else the last one; undefined where only a reversal has come.
   */
  entry: LedgerEntry | undefined;
  reversal: LedgerEntry | undefined;
  capturedMinor: bigint;
  releasedMinor: bigint;
  refundedMinor: bigint;
  cancelled: boolean;
  /** True if a closed business day has paid it out: then it can only be refunded. */
  settled: boolean;
};

/**
 * The bank's state: it is derived from the ledger's entries and the last closing alone, so that a restart can rebuild
 * it from them.
 */
export class Bank {
  readonly #accounts = new Map<string, Account>();
  /** Captures and sales since the last closing, in the ledger's order. */
  #unsettled: { account: Account; sequence: number }[] = [];
  #sequence = 0;

  /** The ledger's sequence of the last entry that was applied, 0 before the first. */
  get sequence(): number {
    return this.#sequence;
  }

  account(reference: string): Account | undefined {
    return this.#accounts.get(reference);
  }

  /** Applies an entry that `bank-rules.ts` has decided on, now or before a restart. */
  apply(entry: LedgerEntry): void {
    this.#sequence += 1;
    const account = this.#openAccount(entry.reference);
    if (entry.operation === "reverse") {
      account.reversal = entry;
      return;
    }
    if (entry.outcome === "declined") {
      if (account.entry?.outcome !== "approved") account.entry = entry;
      return;
    }
    account.entry = entry;
    // A sale is captured from the start; follow-ups count at their parent.
    if (entry.operation === "sale") {
      account.capturedMinor = entry.amountMinor;
      this.#unsettled.push({ account, sequence: this.#sequence });
    }
    if (entry.parentReference === null) return;
    const parent = this.#openAccount(entry.parentReference);
    applyFollowUp(parent, entry);
    if (entry.operation === "capture") this.#unsettled.push({ account: parent, sequence: this.#sequence });
  }

  /** Settles captures and sales that still stand, up to an entry of the ledger. */
  settle(throughSequence: number): void {
    for (const { account, sequence } of this.#unsettled) {
      if (sequence <= throughSequence) account.settled = !account.cancelled && !account.reversal;
    }
    this.#unsettled = this.#unsettled.filter(({ sequence }) => sequence > throughSequence);
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
      settled: false,
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
