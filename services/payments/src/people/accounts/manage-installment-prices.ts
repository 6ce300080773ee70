/** The prices of installments at an account: a part of its versions, so that it changes as everything of an account does. */
import type { CommandReply, InstallmentPrice, InstallmentPrices, OperatorContext } from "@holdfast/contracts";
import { findAccounts, installmentPricesView } from "../../bank/account/account-queries.ts";
import { changeAccount, type ManageAccountsDeps } from "./manage-accounts.ts";

type Reply = CommandReply<InstallmentPrices>;

/**
 * Replaces a confirmed account's prices, or proposes them: a person who confirms prices confirms nothing else
 * with them. `version` is the account's newest version that its author has read.
 */
export async function replaceInstallmentPrices(
  deps: ManageAccountsDeps,
  context: OperatorContext,
  { accountId, version, prices }: { accountId: string; version: number; prices: readonly InstallmentPrice[] },
): Promise<Reply> {
  const [stored] = await findAccounts(deps.db, accountId);
  if (stored && !stored.current) return { outcome: "problem", code: "account_not_confirmed" };
  const change = { installmentPrices: prices };
  const changed = await changeAccount(deps, context, { accountId, change, madeFrom: version });
  return "result" in changed ? await readInstallmentPrices(deps, accountId) : changed;
}

export async function readInstallmentPrices(
  { db }: Pick<ManageAccountsDeps, "db">,
  accountId: string,
): Promise<Reply> {
  const [stored] = await findAccounts(db, accountId);
  if (!stored) return { outcome: "problem", code: "acquirer_account_not_found" };
  return { outcome: "done", result: installmentPricesView(stored) };
}
