/** The accounts that a merchant's payments go to, as operators set them; a set of routes is one version. */
import { appendAudit } from "@holdfast/audit";
import {
  nameOf,
  isLive,
  type CommandReply,
  type FieldFault,
  type MerchantRoutes,
  type OperatorContext,
} from "@holdfast/contracts";
import { sql, type Kysely, type Selectable, type Transaction } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import type { MerchantRouteTable, Route } from "../../bank/account/account-tables.ts";
import { findAccounts, type StoredAccount } from "../../bank/account/account-queries.ts";
import { routesThatNeverRetry } from "../../bank/account/decide-route.ts";
import { refuse } from "./check-account.ts";
import { CHANGED, type ManageAccountsDeps } from "./manage-accounts.ts";

type Deps = Pick<ManageAccountsDeps, "db" | "twoPeople" | "refresh">;
type Reply = CommandReply<MerchantRoutes>;
type Problem = Extract<Reply, { outcome: "problem" }>;
type RouteRow = Selectable<MerchantRouteTable>;
type Trx = Transaction<PaymentsDatabase>;

/** Replaces a merchant's routes, or proposes it. `version` is the newest that its author has read, or 0 without any. */
export async function replaceRoutes(
  deps: Deps,
  context: OperatorContext,
  {
    merchantId,
    routes,
    version: madeFrom,
  }: { merchantId: string; routes: Route[]; version?: number | undefined },
): Promise<Reply> {
  const problem = await deps.db.transaction().execute(async (trx) => {
    await lockMerchant(trx, merchantId);
    const newest = (await versionsOf(trx, merchantId)).at(-1)?.version ?? 0;
    if (madeFrom !== undefined && madeFrom !== newest) return CHANGED;
    const faults = await faultsOfRoutes(trx, merchantId, routes);
    if (faults.length > 0) return refuse(faults);
    const version = newest + 1;
    const row = { merchant_id: merchantId, version, proposed_by: context.operator.person };
    await trx
      .insertInto("merchant_route")
      .values({ ...row, routes: JSON.stringify(routes) })
      .execute();
    await audit(trx, context, "routes.proposed", row, { routes });
    if (!deps.twoPeople) await confirm(trx, context, row);
    return undefined;
  });
  return problem ?? (await shown(deps, merchantId));
}

/** Puts proposed routes into use, by another person than made them. */
export async function confirmRoutes(
  deps: Deps,
  context: OperatorContext,
  { merchantId, version }: { merchantId: string; version: number },
): Promise<Reply> {
  const problem = await deps.db.transaction().execute(async (trx): Promise<Problem | undefined> => {
    await lockMerchant(trx, merchantId);
    const proposal = proposalIn(await versionsOf(trx, merchantId));
    if (proposal?.version !== version) return { outcome: "problem", code: "nothing_to_confirm" };
    if (deps.twoPeople && proposal.proposed_by === context.operator.person)
      return { outcome: "problem", code: "same_person" };
    await confirm(trx, context, proposal);
    return undefined;
  });
  return problem ?? (await shown(deps, merchantId));
}

export async function readRoutes({ db }: Pick<Deps, "db">, merchantId: string): Promise<Reply> {
  const versions = await versionsOf(db, merchantId);
  const current = versions.findLast(({ confirmed_at }) => confirmed_at !== null);
  const proposal = proposalIn(versions);
  return {
    outcome: "done",
    result: {
      routes: current?.routes ?? [],
      ...(current && { version: current.version }),
      ...(proposal && {
        proposal: {
          version: proposal.version,
          proposedBy: nameOf(proposal.proposed_by),
          proposedAt: proposal.proposed_at.toISOString(),
          routes: proposal.routes,
        },
      }),
    },
  };
}

/** Two changes of one merchant's routes follow one another, although there may be no row yet. */
async function lockMerchant(trx: Trx, merchantId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('merchant_route ' || ${merchantId}, 0))`.execute(
    trx,
  );
}

async function versionsOf(db: Kysely<PaymentsDatabase>, merchantId: string): Promise<RouteRow[]> {
  const latest = await db
    .selectFrom("merchant_route")
    .selectAll()
    .where("merchant_id", "=", merchantId)
    .where("version", ">=", (eb) =>
      eb
        .selectFrom("merchant_route as used")
        .select(sql<number>`coalesce(max(used.version), 0)`.as("version"))
        .where("used.merchant_id", "=", merchantId)
        .where("used.confirmed_at", "is not", null),
    )
    .orderBy("version")
    .execute();
  return latest;
}

function proposalIn(versions: RouteRow[]): RouteRow | undefined {
  const last = versions.at(-1);
  return last?.confirmed_at === null ? last : undefined;
}

/** Each route has to name an account that there is, of the merchant's mode, and may retry only where a later one could follow. */
async function faultsOfRoutes(trx: Trx, merchantId: string, routes: readonly Route[]): Promise<FieldFault[]> {
  const named = new Set(routes.map(({ accountId }) => accountId));
  const stored = (await findAccounts(trx)).filter(({ account }) => named.has(account.account_id));
  const ofMode = stored.filter(({ account }) => isLive(account.account_id) === isLive(merchantId));
  const known = new Map(ofMode.map((each) => [each.account.account_id, routable(each)]));
  const unknown = routes.flatMap(({ accountId }, index) => (known.has(accountId) ? [] : [index]));
  if (unknown.length > 0)
    return unknown.map((index) => ({
      field: `${index}.accountId`,
      code: "acquirer_account_not_found",
      message: "is no account of this mode",
    }));
  return routesThatNeverRetry(routes, known).map((index) => ({
    field: `${index}.retrySoftDeclines`,
    code: "no_account_follows",
    message: "needs a later route of such payments, to an account at another bank with the same currency",
  }));
}

function routable({ account, current, proposal }: StoredAccount) {
  const { protocol, currencies } = account;
  return { protocol, currencies, settings: (current ?? proposal)!.settings };
}

async function confirm(
  trx: Trx,
  context: OperatorContext,
  row: Pick<RouteRow, "merchant_id" | "version" | "proposed_by">,
): Promise<void> {
  await trx
    .updateTable("merchant_route")
    .set({ confirmed_by: context.operator.person, confirmed_at: sql<Date>`now()` })
    .where("merchant_id", "=", row.merchant_id)
    .where("version", "=", row.version)
    .execute();
  await audit(trx, context, "routes.confirmed", row, { proposedBy: nameOf(row.proposed_by) });
}

async function audit(
  trx: Trx,
  { operator, requestId }: OperatorContext,
  action: string,
  { merchant_id, version }: Pick<RouteRow, "merchant_id" | "version">,
  detail: Record<string, unknown>,
): Promise<void> {
  const subject = merchant_id;
  await appendAudit(trx, {
    actor: operator.name,
    action,
    subject,
    detail: { requestId, version, ...detail },
  });
}

async function shown(deps: Deps, merchantId: string): Promise<Reply> {
  await deps.refresh();
  return await readRoutes(deps, merchantId);
}
