/**
 * Accounts at banks, as operators make and change them. What is written is checked by the protocol's own
 * schemas first, with every fault named and no value repeated. A change is a version: it is in use once it is
 * confirmed, by another person where the installation asks for two.
 */
import { randomUUID } from "node:crypto";
import { appendAudit } from "@holdfast/audit";
import {
  nameOf,
  idInMode,
  type AcquirerAccount,
  type ChangeAcquirerAccountRequest,
  type CommandReply,
  type CreateAcquirerAccountRequest,
  type OperatorContext,
} from "@holdfast/contracts";
import type { KeyRing } from "@holdfast/service-runtime";
import type { Kysely, Transaction } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import { sealToOf } from "./open-sent-secrets.ts";
import {
  accountView,
  findAccounts,
  insertAccount,
  insertVersion,
  lastVersion,
  lockAccount,
  useVersion,
  type StoredAccount,
  type VersionRow,
} from "../../bank/account/account-queries.ts";
import { SIMULATOR } from "../../bank/account/account-bounds.ts";
import type { DefaultTerms } from "../../bank/account/account-terms.ts";
import type { AccountAttributes } from "../../bank/account/account-tables.ts";
import type { AccountAcquirersOptions } from "../../bank/calls/acquirers.ts";
import { auditedAttributes } from "./audited-attributes.ts";
import { fault, faultsOf, otherTerminal, refuse, secretsMissing, terminalInUse } from "./check-account.ts";
import { openAccountSecrets, sealAccountSecrets } from "../../bank/account/seal-account-secrets.ts";

export type ManageAccountsDeps = Pick<AccountAcquirersOptions, "connectors" | "ring" | "bounds"> & {
  db: Kysely<PaymentsDatabase>;
  /** True if another person has to confirm a change. */
  twoPeople: boolean;
  /** Reads the accounts again in this process; other processes follow within their interval. */
  refresh: () => Promise<void>;
  /** The terms of an account that is created without terms: the installation's. */
  defaults: DefaultTerms;
};

type Reply = CommandReply<AcquirerAccount>;
type Problem = Extract<Reply, { outcome: "problem" }>;
type Trx = Transaction<PaymentsDatabase>;

/** Makes an account, or proposes it. Test mode has accounts of the simulator alone: no bank of a test payment is real. */
export async function makeAccount(
  deps: ManageAccountsDeps,
  context: OperatorContext,
  request: CreateAcquirerAccountRequest,
): Promise<Reply> {
  const { protocol, settings, secrets, livemode = true } = request;
  const connector = deps.connectors.get(protocol);
  if (!connector)
    return refuse([fault("protocol", `must be one of ${[...deps.connectors.keys()].join(", ")}`)]);
  if (!livemode && protocol !== SIMULATOR)
    return refuse([fault("protocol", `must be ${SIMULATOR} for an account of test mode`)]);
  const accountId = idInMode(randomUUID(), livemode);
  const given = { accountId, settings, secrets, currencies: request.currencies };
  const faults = faultsOf(connector, given, deps.bounds);
  if (faults.length > 0) return refuse(faults);
  const { ring } = deps;
  if (!ring) return NO_RING;
  const attributes: AccountAttributes = {
    name: request.name,
    state: "ACTIVE",
    currencies: request.currencies,
    businessDay: request.businessDay ?? deps.defaults.businessDay,
    lateArrivalSeconds: request.lateArrivalSeconds ?? Math.ceil(deps.defaults.lateArrivalMs / 1_000),
    connectionsMax: request.connectionsMax ?? CONNECTIONS_MAX,
    ...(request.callsPerMinute !== undefined && { callsPerMinute: request.callsPerMinute }),
    default: request.default ?? false,
    secretsChange: true,
  };
  const problem = await deps.db.transaction().execute(async (trx) => {
    if (!(await insertAccount(trx, { accountId, protocol }, attributes))) return EXISTS;
    const version = { account_id: accountId, version: 1, attributes, settings };
    const sealed_secrets = sealAccountSecrets(ring, { accountId, version: 1, protocol }, secrets);
    return await propose(deps, trx, context, { ...version, sealed_secrets });
  });
  return problem ?? (await shown(deps, accountId));
}

/** A change of an account, or of what installments cost there. */
type AccountChange = Omit<ChangeAcquirerAccountRequest, "version"> &
  Pick<AccountAttributes, "installmentPrices">;

/**
 * Changes an account, or proposes the change. A later proposal replaces an earlier one.
 * @param madeFrom the version that its author has read, if known: it has to be the newest, in use or
 * proposed.
 */
export async function changeAccount(
  deps: ManageAccountsDeps,
  context: OperatorContext,
  { accountId, change, madeFrom }: { accountId: string; change: AccountChange; madeFrom: number | undefined },
): Promise<Reply> {
  const { ring } = deps;
  if (!ring) return NO_RING;
  const problem = await deps.db.transaction().execute(async (trx) => {
    if (!(await lockAccount(trx, accountId))) return NOT_FOUND;
    const stored = (await findAccounts(trx, accountId))[0]!;
    const base = (stored.current ?? stored.proposal)!;
    const newest = (stored.proposal ?? base).version;
    if (madeFrom !== undefined && madeFrom !== newest) return CHANGED;
    const { protocol } = stored.account;
    const connector = deps.connectors.get(protocol)!;
    const { settings = base.settings, secrets = secretsOf(ring, stored, base), ...changed } = change;
    const attributes: AccountAttributes = {
      ...base.attributes,
      // Another account may have become the default since.
      ...(stored.current && { default: stored.account.is_default || stored.account.is_test_default }),
      ...withoutUndefined(changed),
      secretsChange: change.secrets !== undefined,
    };
    const given = { accountId, settings, secrets, currencies: attributes.currencies };
    const faults = [
      ...faultsOf(connector, given, deps.bounds),
      ...(change.secrets === undefined ? secretsMissing(connector, base.settings, settings) : []),
    ];
    if (faults.length > 0) return refuse(faults);
    const taken = refuseOtherTerminal(deps, ring, stored, { settings, secrets });
    if (taken) return taken;
    const version = (await lastVersion(trx, accountId)) + 1;
    const sealed_secrets = sealAccountSecrets(ring, { accountId, version, protocol }, secrets);
    const proposed = { account_id: accountId, version, attributes, settings, sealed_secrets };
    return await propose(deps, trx, context, proposed, stored.proposal?.version);
  });
  return problem ?? (await shown(deps, accountId));
}

/** Puts a proposal into use, by another person than made it. */
export async function confirmAccount(
  deps: ManageAccountsDeps,
  context: OperatorContext,
  { accountId, version }: { accountId: string; version: number },
): Promise<Reply> {
  const problem = await deps.db.transaction().execute(async (trx) => {
    if (!(await lockAccount(trx, accountId))) return NOT_FOUND;
    const stored = (await findAccounts(trx, accountId))[0]!;
    const { proposal } = stored;
    // The version that was looked at is the one that is confirmed: a newer proposal has another number.
    if (proposal?.version !== version) return NOTHING;
    if (deps.twoPeople && proposal.proposed_by === context.operator.person) return SAME_PERSON;
    if (!deps.ring) return NO_RING;
    const { settings } = proposal;
    const secrets = secretsOf(deps.ring, stored, proposal);
    // A first card may have been sent since it was proposed.
    const taken = refuseOtherTerminal(deps, deps.ring, stored, { settings, secrets });
    return taken ?? (await confirm(trx, context, proposal));
  });
  return problem ?? (await shown(deps, accountId));
}

export async function readAccounts(
  { db, ring }: Pick<ManageAccountsDeps, "db" | "ring">,
  accountId?: string,
): Promise<CommandReply<{ items: AcquirerAccount[]; sealTo?: string }>> {
  const items = (await findAccounts(db, accountId)).map(accountView);
  return { outcome: "done", result: { items, ...sealToOf(ring) } };
}

type Proposed = Pick<VersionRow, "account_id" | "version" | "attributes" | "settings" | "sealed_secrets">;

/** @param replaces the version of a proposal that this one ends. */
async function propose(
  { twoPeople }: ManageAccountsDeps,
  trx: Trx,
  context: OperatorContext,
  version: Proposed,
  replaces?: number,
): Promise<Problem | undefined> {
  const proposed_by = context.operator.person;
  const row = { ...version, proposed_by };
  await insertVersion(trx, row);
  const { attributes, settings } = version;
  await audit(trx, context, "account.proposed", row, {
    attributes: auditedAttributes(attributes),
    settings,
    ...(replaces !== undefined && { replaces }),
  });
  if (twoPeople) return undefined;
  return await confirm(trx, context, {
    ...row,
    proposed_at: new Date(),
    confirmed_by: null,
    confirmed_at: null,
  });
}

async function confirm(
  trx: Trx,
  context: OperatorContext,
  proposal: VersionRow,
): Promise<Problem | undefined> {
  const other = await trx
    .selectFrom("acquirer_account")
    .select("account_id")
    .where("name", "=", proposal.attributes.name)
    .where("account_id", "<>", proposal.account_id)
    .executeTakeFirst();
  if (other) return EXISTS;
  await useVersion(trx, proposal, context.operator.person);
  await audit(trx, context, "account.confirmed", proposal, { proposedBy: nameOf(proposal.proposed_by) });
  return undefined;
}

async function audit(
  trx: Trx,
  { operator, requestId }: OperatorContext,
  action: string,
  { account_id, version }: Pick<VersionRow, "account_id" | "version">,
  detail: Record<string, unknown>,
): Promise<void> {
  const subject = account_id;
  await appendAudit(trx, {
    actor: operator.name,
    action,
    subject,
    detail: { requestId, version, ...detail },
  });
}

async function shown(deps: ManageAccountsDeps, accountId: string): Promise<Reply> {
  await deps.refresh();
  const [stored] = await findAccounts(deps.db, accountId);
  return { outcome: "done", result: accountView(stored!) };
}

/**
 * Refuses to move an account to another terminal once a card was sent there; the caller has locked its row.
 * The other terminal would not know the payments of later captures, refunds and inquiries.
 */
function refuseOtherTerminal(
  { connectors }: ManageAccountsDeps,
  ring: KeyRing,
  stored: StoredAccount,
  given: { settings: unknown; secrets: unknown },
): Problem | undefined {
  const { account, current } = stored;
  if (account.used_version === null || !current) return undefined;
  const before = { settings: current.settings, secrets: secretsOf(ring, stored, current) };
  return terminalInUse(otherTerminal(connectors.get(account.protocol)!, before, given));
}

function secretsOf(
  ring: KeyRing,
  { account }: StoredAccount,
  { version, sealed_secrets }: VersionRow,
): unknown {
  const binding = { accountId: account.account_id, version, protocol: account.protocol };
  return openAccountSecrets(ring, binding, sealed_secrets);
}

function withoutUndefined(given: object) {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** The limit of an account that sets none. */
const CONNECTIONS_MAX = 256;
const NOT_FOUND: Problem = { outcome: "problem", code: "acquirer_account_not_found" };
const EXISTS: Problem = { outcome: "problem", code: "acquirer_account_exists" };
const NOTHING: Problem = { outcome: "problem", code: "nothing_to_confirm" };
export const CHANGED: Problem = { outcome: "problem", code: "changed_since_read" };
const SAME_PERSON: Problem = { outcome: "problem", code: "same_person" };
const NO_RING: Problem = {
  outcome: "problem",
  code: "internal_error",
  detail: "ACCOUNT_SECRET_KEYS is not set, so credentials cannot be sealed.",
};
