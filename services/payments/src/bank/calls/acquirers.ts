import {
  addressesIn,
  observeAcquirer,
  wrapCalls,
  type Acquirer,
  type AcquirerWire,
  type AnyConnector,
  type ProbedAcquirer,
} from "@holdfast/acquirer";
import type { KeyRing, Logger } from "@holdfast/service-runtime";
import { connectionsOfLanes } from "./account-connections.ts";
import { createBreaker, type Breaker } from "./breaker.ts";
import { NEW_PAYMENTS, type CallBudget } from "./call-budget.ts";
import { faultsOfBounds, type AccountBounds } from "../account/account-bounds.ts";
import type { Account } from "../account/current-accounts.ts";
import { openAccountSecrets } from "../account/seal-account-secrets.ts";

/**
 * Kinds of calls with connections of their own at every account: merchants' and buyers' calls, refunds', and
 * calls that finish earlier work. A bank that hangs for one kind leaves the others free.
 */
export const LANES = ["payments", "refunds", "upkeep"] as const;
export type Lane = (typeof LANES)[number];

/** The banks as one kind of work uses them. */
export type Acquirers = {
  /**
   * The bank of the account that a payment is stored with. For an unknown account, or unreadable credentials, every call
   * is `not_sent`.
   */
  of: (accountId: string) => Acquirer;
};

export type AccountAcquirers = {
  lane(lane: Lane): Acquirers;
  breaker(accountId: string): Breaker;
  /**
   * Uses the given accounts from now on. Changed accounts are connected again; calls under way end on their
   * old connections.
   * @returns the number of accounts whose newest version cannot be used.
   */
  use(accounts: ReadonlyMap<string, Account>): number;
  close(): Promise<void>;
};

export type AccountAcquirersOptions = {
  connectors: ReadonlyMap<string, AnyConnector>;
  bounds: AccountBounds;
  /** The keys of credentials, without which there can be no accounts. */
  ring: KeyRing | undefined;
  wire: Omit<AcquirerWire, "connectionsMax" | "awaitBudget">;
  budget: CallBudget;
  noteUse: (account: Account) => Promise<boolean>;
  log: Logger;
};

export function createAccountAcquirers(options: AccountAcquirersOptions): AccountAcquirers {
  const breakers = new Map<string, Breaker>();
  let connected = new Map<string, { version: number; lanes: Map<Lane, Acquirer> }>();

  let unusable: ReadonlyMap<string, number> = new Map();

  const breakerOf = (accountId: string) => {
    const breaker = breakers.get(accountId) ?? createBreaker();
    breakers.set(accountId, breaker);
    return breaker;
  };
  return {
    lane: (lane) => ({
      of: (accountId) => connected.get(accountId)?.lanes.get(lane) ?? UNAVAILABLE_ACQUIRER,
    }),
    breaker: breakerOf,
    use(accounts) {
      const next: typeof connected = new Map();
      const failed = new Map<string, number>();
      for (const account of accounts.values()) {
        const before = connected.get(account.accountId);
        const same = before?.version === account.version;
        const alreadyLogged = unusable.get(account.accountId) === account.version;
        const lanes = same
          ? before.lanes
          : connectLanes(options, account, { breaker: breakerOf(account.accountId), alreadyLogged });
        if (!lanes) failed.set(account.accountId, account.version);
        // Credentials that cannot be read now were readable before, and calls continue with those.
        if (lanes) next.set(account.accountId, { version: account.version, lanes });
        else if (before) next.set(account.accountId, before);
        if (before && before.lanes !== next.get(account.accountId)?.lanes)
          void closeAll(before.lanes.values());
      }
      connected = next;
      unusable = failed;
      return failed.size;
    },
    async close() {
      await closeAll([...connected.values()].flatMap(({ lanes }) => [...lanes.values()]));
    },
  };
}

function connectLanes(
  options: AccountAcquirersOptions,
  account: Account,
  { breaker, alreadyLogged }: { breaker: Breaker; /** The log has it already. */ alreadyLogged: boolean },
): Map<Lane, Acquirer> | undefined {
  const refused = logOncePer(REFUSED_LOG_MS, ({ accountId, version }: Account) =>
    options.log.error({ account: accountId, version }, "the bank refuses the credentials of an account"),
  );
  try {
    const secrets = openAccountSecrets(options.ring, account, account.sealedSecrets);
    const lanes = LANES.map((lane) => {
      const connectionsMax = connectionsOfLanes(account.connectionsMax)[lane];
      const awaitBudget = options.budget.awaitBudgetOf(account.accountId);
      const wire = { ...options.wire, awaitBudget };
      const acquirer = connectAccount({ ...options, wire }, { ...account, secrets, connectionsMax });
      const url = addressesIn(account.settings)[0]?.[1].href;
      const inLane = options.budget.inLane(acquirer, lane);
      const observed = observeAcquirer(inLane, { url, account: account.accountId, log: options.log });
      const reported = reportToBreaker(observed, { breaker, onRefused: () => refused(account) });
      return [lane, noteBeforeCards(reported, account, options)] as const;
    });
    return new Map(lanes);
  } catch (error) {
    const { accountId, version } = account;
    if (!alreadyLogged)
      options.log.error({ account: accountId, version, error }, "an acquirer account cannot be used");
    return undefined;
  }
}

/** The parts of an account that a connection needs. */
type AccountToConnect = Pick<
  Account,
  "accountId" | "version" | "protocol" | "settings" | "businessDay" | "connectionsMax"
> & { secrets: unknown };

/**
 * @throws if settings or credentials do not fit the account's protocol, or exceed the installation's bounds.
 */
export function connectAccount(
  {
    connectors,
    bounds,
    wire,
  }: Pick<AccountAcquirersOptions, "connectors" | "bounds"> & { wire: Omit<AcquirerWire, "connectionsMax"> },
  { accountId, version, protocol, secrets, businessDay, connectionsMax, ...given }: AccountToConnect,
): ProbedAcquirer {
  const connector = connectors.get(protocol);
  if (!connector) throw new Error(`no connector is named ${protocol}`);
  const settings = connector.settings.parse(given.settings) as object;
  const [outside] = faultsOfBounds(bounds, { accountId, protocol, settings });
  if (outside) throw new Error(`${outside.field} ${outside.message}`);
  const account = { accountId, version, settings, businessDay };
  return connector.connect(account, connector.secrets.parse(secrets), { ...wire, connectionsMax });
}

/** Every call fails until somebody changes the credentials, so a line for each would hide other lines. */
function logOncePer<Subject>(everyMs: number, write: (subject: Subject) => void): (subject: Subject) => void {
  let nextAt = 0;
  return (subject) => {
    if (performance.now() < nextAt) return;
    nextAt = performance.now() + everyMs;
    write(subject);
  };
}
const REFUSED_LOG_MS = 60_000;

/** Notes for the breaker whether each call had a connection, and reports credentials that are refused. */
function reportToBreaker(
  acquirer: Acquirer,
  { breaker, onRefused }: { breaker: Breaker; onRefused: () => void },
): Acquirer {
  return wrapCalls(acquirer, (_operation, call) => async (request) => {
    const outcome = await call(request);
    breaker.record(outcome.kind !== "not_sent" || outcome.reason !== undefined);
    if (outcome.kind === "not_sent" && outcome.reason === "credentials") onRefused();
    return outcome;
  });
}

/** Sends no card before it is noted that the account is used: once for each connection, where no process has noted it. */
function noteBeforeCards(
  acquirer: Acquirer,
  account: Account,
  { noteUse, log }: Pick<AccountAcquirersOptions, "noteUse" | "log">,
): Acquirer {
  let isNoted = account.usedVersion !== null && account.usedVersion <= account.version;
  return wrapCalls(acquirer, (operation, call) => async (request) => {
    if (isNoted || !NEW_PAYMENTS.has(operation)) return await call(request);
    isNoted = await noteUse(account).catch((error: unknown) => {
      log.error({ account: account.accountId, error }, "an account's first use could not be noted");
      return false;
    });
    return isNoted ? await call(request) : { kind: "not_sent" };
  });
}

async function closeAll(acquirers: Iterable<Acquirer>): Promise<void> {
  await Promise.all([...acquirers].map((acquirer) => acquirer.close()));
}

const notSent = () => Promise.resolve({ kind: "not_sent" } as const);

/**
 * Stands for an account that this process has not read yet, or whose credentials it cannot open. Nothing can
 * be sent. Operations that were begun there wait, and operators see them.
 */
export const UNAVAILABLE_ACQUIRER: Acquirer = {
  capabilities: { repetition: "none", ownReferenceOn: [], sharesNameOn: [], release: false },
  authorize: notSent,
  sale: notSent,
  capture: notSent,
  cancel: notSent,
  release: notSent,
  refund: notSent,
  reverse: notSent,
  enrol: notSent,
  complete: notSent,
  inquire: notSent,
  close: () => Promise.resolve(),
};
