import {
  observeAcquirer,
  type Acquirer,
  type AcquirerWire,
  type AnyConnector,
  type ProbedAcquirer,
} from "@holdfast/acquirer";
import type { KeyRing, Logger } from "@holdfast/service-runtime";
import { createBreaker, type Breaker } from "./breaker.ts";
import type { Account } from "./current-accounts.ts";
import { openAccountSecrets } from "./seal-account-secrets.ts";

/**
 * Whose calls have connections of their own at every account: merchants' and buyers', refunds', and those that bring to its
 * end what was begun. A bank that hangs for one leaves the others free.
 */
export const LANES = ["payments", "refunds", "upkeep"] as const;
export type Lane = (typeof LANES)[number];

/** The banks as one kind of work uses them. */
export type Acquirers = {
  /** By the account that a payment is stored with; null is that of `ACQUIRER_URL`. Of one that is not known, or whose
   * credentials cannot be opened, every call is `not_sent`. */
  of(accountId: string | null): Acquirer;
};

export type AccountAcquirers = {
  lane(lane: Lane): Acquirers;
  breaker(accountId: string | null): Breaker;
  /** Uses the given accounts from now on; what has changed is connected anew, and calls under way end as they are. */
  use(accounts: ReadonlyMap<string, Account>): void;
  close(): Promise<void>;
};

export type AccountAcquirersOptions = {
  connectors: ReadonlyMap<string, AnyConnector>;
  /** Without it there can be no accounts but that of `ACQUIRER_URL`. */
  ring: KeyRing | undefined;
  /** The account of `ACQUIRER_URL`. */
  fallback: (lane: Lane) => Acquirer;
  wire: Omit<AcquirerWire, "connectionsMax">;
  log: Logger;
};

export function createAccountAcquirers(options: AccountAcquirersOptions): AccountAcquirers {
  const fallback = new Map(LANES.map((lane) => [lane, options.fallback(lane)]));
  const breakers = new Map<string | null, Breaker>();
  let connected = new Map<string, { version: number; lanes: Map<Lane, Acquirer> }>();

  const breakerOf = (accountId: string | null) => {
    const breaker = breakers.get(accountId) ?? createBreaker();
    breakers.set(accountId, breaker);
    return breaker;
  };
  return {
    lane: (lane) => ({
      of: (accountId) =>
        (accountId === null ? fallback.get(lane) : connected.get(accountId)?.lanes.get(lane)) ?? NOBODY,
    }),
    breaker: breakerOf,
    use(accounts) {
      const next: typeof connected = new Map();
      for (const account of accounts.values()) {
        const before = connected.get(account.accountId);
        const same = before?.version === account.version;
        const lanes = same ? before.lanes : connectLanes(options, account, breakerOf(account.accountId));
        // Credentials that cannot be read now could be read before: calls go on with those.
        if (lanes) next.set(account.accountId, { version: account.version, lanes });
        else if (before) next.set(account.accountId, before);
        if (before && before.lanes !== next.get(account.accountId)?.lanes)
          void closeAll(before.lanes.values());
      }
      connected = next;
    },
    async close() {
      await closeAll([
        ...fallback.values(),
        ...[...connected.values()].flatMap(({ lanes }) => [...lanes.values()]),
      ]);
    },
  };
}

function connectLanes(
  options: AccountAcquirersOptions,
  account: Account,
  breaker: Breaker,
): Map<Lane, Acquirer> | undefined {
  try {
    const lanes = LANES.map((lane) => {
      const acquirer = connectAccount(options, account);
      const url = urlOf(account.settings);
      const observed = observeAcquirer(acquirer, { url, account: account.accountId });
      return [lane, noting(observed, breaker)] as const;
    });
    return new Map(lanes);
  } catch (error) {
    options.log.error({ account: account.accountId, error }, "an acquirer account cannot be used");
    return undefined;
  }
}

/** What of an account its connection is made of. */
type AccountToConnect = Pick<
  Account,
  "accountId" | "version" | "protocol" | "settings" | "sealedSecrets" | "businessDay" | "connectionsMax"
>;

/** @throws where settings or credentials are not those of the account's protocol. */
export function connectAccount(
  { connectors, ring, wire }: Pick<AccountAcquirersOptions, "connectors" | "ring" | "wire">,
  { accountId, version, protocol, settings, sealedSecrets, businessDay, connectionsMax }: AccountToConnect,
): ProbedAcquirer {
  const connector = connectors.get(protocol);
  if (!connector) throw new Error(`no connector is named ${protocol}`);
  if (!ring) throw new Error("ACCOUNT_SECRET_KEYS is not set");
  const secrets = openAccountSecrets(ring, { accountId, version, protocol }, sealedSecrets);
  const account = { accountId, version, settings: connector.settings.parse(settings), businessDay };
  return connector.connect(account, connector.secrets.parse(secrets), { ...wire, connectionsMax });
}

/** What makes no call to the bank, or none that tells whether a payment can be sent. */
const NO_CALLS: ReadonlySet<string> = new Set([
  "capabilities",
  "checkReturn",
  "missingField",
  "close",
  "probe",
]);

/** Tells the breaker of each call whether there was a connection. */
function noting(acquirer: Acquirer, breaker: Breaker): Acquirer {
  const watched = Object.entries(acquirer)
    .filter(([name]) => !NO_CALLS.has(name))
    .map(([name, call]) => [
      name,
      async (request: unknown) => {
        const outcome = await (call as (request: unknown) => Promise<{ kind: string; reason?: string }>)(
          request,
        );
        breaker.note(outcome.kind !== "not_sent" || outcome.reason !== undefined);
        return outcome;
      },
    ]);
  return { ...acquirer, ...Object.fromEntries(watched) };
}

/** An account's settings have its address under names of their own; the first one is that of payments. */
function urlOf(settings: object): string | undefined {
  return Object.values(settings).find((value) => typeof value === "string" && /^https?:\/\//.test(value));
}

async function closeAll(acquirers: Iterable<Acquirer>): Promise<void> {
  await Promise.all([...acquirers].map((acquirer) => acquirer.close()));
}

const notSent = () => Promise.resolve({ kind: "not_sent" } as const);

/** Nothing can be sent: what was begun at such an account stays as it is, and operators see that it waits. */
const NOBODY: Acquirer = {
  capabilities: { repetition: "none", ownReferenceOn: [], release: false },
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
