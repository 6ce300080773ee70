import { CONNECTORS } from "@holdfast/banks";
import { meterOf } from "@holdfast/telemetry";
import type { Kysely } from "kysely";
import type { Logger } from "@holdfast/service-runtime";
import { createAccountOf, createMerchantPermits, createUpkeep } from "./account-connections.ts";
import { createTerms } from "../account/account-terms.ts";
import {
  createAccountAcquirers,
  type AccountAcquirers,
  type AccountAcquirersOptions,
  type Lane,
} from "./acquirers.ts";
import type { Bank } from "./bank.ts";
import { createCallSlots } from "./call-slots.ts";
import { createCallBudget, type CallBudget } from "./call-budget.ts";
import { noteUse } from "../account/account-queries.ts";
import { createCurrentAccounts } from "../account/current-accounts.ts";
import type { Config } from "../../config.ts";
import type { PaymentsDatabase } from "../../database.ts";

export type AcquirerConnections = {
  /** The parts that make a connection to an account. */
  connecting: Pick<AccountAcquirersOptions, "connectors" | "ring" | "wire" | "bounds"> & {
    twoPeople: boolean;
  };
  acquirers: AccountAcquirers;
};

/** Reads the accounts and connects them. They are read again by `accounts.refresh`, and connected again where they changed. */
export async function startAccounts(
  config: Config,
  { db, log }: { db: Kysely<PaymentsDatabase>; log: Logger },
) {
  const unusable = meterOf("payments").createGauge("holdfast.acquirer.accounts.unusable", {
    description: "Accounts whose newest settings or credentials this process cannot use",
  });
  const accounts = createCurrentAccounts(db, { log, onRead: (read) => unusable.record(banks.use(read)) });
  const budget = createCallBudget(createCallSlots(db), accounts);
  const { acquirers: banks, ...rest } = connectAcquirers(config, {
    log,
    budget,
    noteUse: (account) => noteUse(db, account),
  });
  await accounts.refresh().catch((error: unknown) => log.warn({ error }, "accounts could not be read yet"));
  const defaults = {
    lateArrivalMs: config.ACQUIRER_LATE_ARRIVAL,
    businessDay: { timeZone: config.BUSINESS_TIME_ZONE, cutOff: config.BUSINESS_DAY_CUT_OFF },
  };
  const callMs = config.ACQUIRER_TIMEOUT;
  const termsOf = createTerms(accounts, { defaults, callMs });
  const permitsOf = createMerchantPermits(accounts, { share: config.ACQUIRER_CONNECTIONS_SHARE });
  const bankFor = (lane: Lane): Bank => {
    const { of } = banks.lane(lane);
    return { of, callMs, termsOf, permitsOf, budget };
  };
  const accountOf = createAccountOf(accounts, db);
  return { banks, bankFor, accounts, accountOf, defaults, upkeep: createUpkeep(accounts), ...rest };
}

/** The banks of the accounts that operators have made. */
function connectAcquirers(
  config: Config,
  options: { log: Logger; budget: CallBudget; noteUse: AccountAcquirersOptions["noteUse"] },
): AcquirerConnections {
  const wire = {
    connectTimeoutMs: ACQUIRER_CONNECT_TIMEOUT_MS,
    allowPlaintext: config.ALLOW_PLAINTEXT.has("acquirer"),
  };
  const bounds = { hosts: config.ACQUIRER_HOSTS, liveSimulator: config.ALLOW_SIMULATOR === "live" };
  const connecting = { connectors: CONNECTORS, ring: config.ACCOUNT_SECRET_KEYS, wire, bounds };
  return {
    connecting: { ...connecting, twoPeople: config.ACCOUNT_CHANGES_TWO_PEOPLE },
    acquirers: createAccountAcquirers({ ...connecting, ...options }),
  };
}

const ACQUIRER_CONNECT_TIMEOUT_MS = 2_000;
