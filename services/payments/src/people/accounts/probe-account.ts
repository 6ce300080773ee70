import { addressesIn, type ProbeOutcome } from "@holdfast/acquirer";
import { appendAudit } from "@holdfast/audit";
import type { CommandReply, OperatorContext } from "@holdfast/contracts";
import type { Kysely } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import { findAccounts } from "../../bank/account/account-queries.ts";
import { openAccountSecrets } from "../../bank/account/seal-account-secrets.ts";
import { connectAccount, type AccountAcquirersOptions } from "../../bank/calls/acquirers.ts";
import type { Bank } from "../../bank/calls/bank.ts";
import { faultsOf, refuse } from "./check-account.ts";

export type ProbeAccountDeps = Pick<AccountAcquirersOptions, "connectors" | "ring" | "wire" | "bounds"> & {
  db: Kysely<PaymentsDatabase>;
  bank: Pick<Bank, "callMs">;
  now: () => number;
};

/**
 * Calls the bank without moving money. Stored credentials go only to the confirmed address; a proposal is
 * probed with its caller's credentials.
 */
export async function probeAccount(
  deps: ProbeAccountDeps,
  { operator, requestId }: OperatorContext,
  {
    accountId,
    proposal,
  }: { accountId: string; proposal?: { version: number; secrets: unknown } | undefined },
): Promise<CommandReply<{ result: ProbeOutcome["kind"]; detail?: string }>> {
  const [stored] = await findAccounts(deps.db, accountId);
  if (!stored) return { outcome: "problem", code: "acquirer_account_not_found" };
  const probed = proposal ? stored.proposal : stored.current;
  if (!probed) return proposal ? NOTHING : NOT_CONFIRMED;
  if (proposal && probed.version !== proposal.version) return NOTHING;
  const { settings, version } = probed;
  const { currencies, businessDay } = probed.attributes;
  const { protocol } = stored.account;
  const secrets = proposal
    ? proposal.secrets
    : openAccountSecrets(deps.ring, { accountId, version, protocol }, probed.sealed_secrets);
  const connector = deps.connectors.get(protocol)!;
  const errors = faultsOf(connector, { accountId, settings, secrets, currencies }, deps.bounds);
  if (errors.length > 0) return refuse(errors);
  const account = { accountId, version, protocol, settings, secrets, businessDay, connectionsMax: 1 };
  const { kind, ...rest } = await probe(deps, account);
  const host = addressesIn(settings)[0]?.[1].host;
  const detail = { requestId, version, host, proposal: proposal !== undefined, outcome: kind };
  const line = { actor: operator.name, action: "account.probed", subject: accountId, detail };
  await deps.db.transaction().execute((trx) => appendAudit(trx, line));
  return { outcome: "done", result: { result: kind, ...rest } };
}

async function probe(
  deps: ProbeAccountDeps,
  account: Parameters<typeof connectAccount>[1],
): Promise<ProbeOutcome> {
  const bank = connectAccount(deps, account);
  try {
    return await bank.probe(new Date(deps.now() + deps.bank.callMs));
  } finally {
    await bank.close();
  }
}

const NOTHING = { outcome: "problem", code: "nothing_to_confirm" } as const;
const NOT_CONFIRMED = { outcome: "problem", code: "account_not_confirmed" } as const;
