import type { z } from "zod";

import type { FaultTable } from "./fault-queue.ts";
import type { BankConfig } from "./settings.ts";
import type { Simulator } from "./simulator-server.ts";

/** Options of a bank in a test's own process: everything but the ledger's place has a default. */
export type StartOptions<Config extends BankConfig> = Pick<Config, "ledgerFile"> & Partial<Config>;

/**
 * Properties of a bank that tests have to know, and that no call reveals. A new bank has the faults of its
 * returns, and nothing else by default.
 */
export type BankTraits<EnrolFault extends string = string> = {
  /** The faults of `enrol` whose return proves nothing about the payment. */
  falseReturns: readonly EnrolFault[];
  /** True if its answers have the amount; otherwise only the record shows another amount. */
  answersAmounts?: boolean;
  /** True if the bank's staff can void one of two successes in its panel. */
  voidsInPanel?: boolean;
  /** True if its files have no chargebacks. */
  hidesDisputes?: boolean;
  /** A mode of its own that changes no outcome. */
  harmlessMode?: Readonly<Record<string, boolean>>;
};

/** A protocol that the simulator plays. */
export type Protocol<Config extends BankConfig> = {
  /** The beginning of the names of its environment variables. */
  prefix: string;
  /** The environment variables; docs/settings.md is generated from the default bank's. */
  settings: z.ZodObject;
  /** The faults that `POST /faults` takes, by operation. */
  faults: FaultTable;
  traits: BankTraits;
  /** @throws ConfigError */
  readConfig: (environment: Record<string, string | undefined>) => Config;
  /** @throws LedgerCorruptError when the file is not a ledger */
  start: (options: StartOptions<Config>) => Promise<Simulator>;
};
