import type { z } from "zod";

import type { FaultTable } from "./fault-queue.ts";
import type { BankConfig } from "./settings.ts";
import type { Simulator } from "./simulator-server.ts";

/** Options of a bank in a test's own process: everything but the ledger's place has a default. */
export type StartOptions<Config extends BankConfig> = Pick<Config, "ledgerFile"> & Partial<Config>;

/** A protocol that the simulator plays. */
export type Protocol<Config extends BankConfig> = {
  /** The beginning of the names of its environment variables. */
  prefix: string;
  /** The environment variables; docs/settings.md is generated from those of the default bank. */
  settings: z.ZodObject;
  /** The faults that `POST /faults` takes, by operation. */
  faults: FaultTable;
  /** @throws ConfigError */
  readConfig: (environment: Record<string, string | undefined>) => Config;
  /** @throws LedgerCorruptError when the file is not a ledger */
  start: (options: StartOptions<Config>) => Promise<Simulator>;
};
