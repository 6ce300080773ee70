import type { Ledger } from "@holdfast/bank-simulator/core";

import type { Merchant } from "../merchants.ts";
import type { Rules } from "../modes.ts";
import type { Bank } from "./bank.ts";
import { identifiersOf } from "./identifiers.ts";
import { judge } from "./judge.ts";
import type { Circumstances, KnownForm, Outcome } from "./judgement.ts";
import type { LedgerLine } from "./ledger-line.ts";
import type { MoneyRequest } from "./money-request.ts";

export type TellerDeps = {
  bank: Bank;
  ledger: Ledger<LedgerLine>;
  /** Resolves when no day's end is under way. */
  dayIsOpen: () => Promise<void>;
  rulesFor: (merchant: Merchant) => Rules;
  now: () => number;
  reversalMs: number;
};

/**
 * Carries out operations and answers only when the outcome is durable. Between reading the bank's state and changing it
 * there is no `await`: of two calls for one order the second sees the effect of the first.
 */
export class Teller {
  readonly #deps: TellerDeps;

  constructor(deps: TellerDeps) {
    this.#deps = deps;
  }

  /** `form` is the bank's record of a payment's `md`. */
  async operate(
    merchant: Merchant,
    request: MoneyRequest,
    circumstances: Circumstances,
    form?: KnownForm,
  ): Promise<Outcome> {
    const { bank, ledger, rulesFor, now, dayIsOpen, reversalMs } = this.#deps;
    await dayIsOpen();
    const nowMs = now();
    const ids = identifiersOf(bank.sequence + 1, nowMs);
    const rules = rulesFor(merchant);
    const { outcome, entry } = judge(request, form, {
      bank,
      merchant,
      rules,
      nowMs,
      reversalMs,
      ids,
      circumstances,
    });
    bank.apply(entry);
    await ledger.append(entry);
    return outcome;
  }

  /** True if a payment under this order id would be the order's second success. */
  hasSucceeded(merchant: Merchant, orderId: string): boolean {
    const rows = this.#deps.bank.order(merchant.clientId, orderId)?.rows ?? [];
    return rows.some(({ kind, status }) => kind === "payment" && status !== "declined");
  }
}
