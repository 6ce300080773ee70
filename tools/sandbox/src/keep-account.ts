// An account at a bank, as the operator API makes it. If the installation asks for two people, the second confirms.
import { isDeepStrictEqual } from "node:util";
import type { AccountRequest } from "./banks.ts";
import type { AskOperatorApi } from "./operator-client.ts";

/** The two operators. If the installation asks for two people, the second one confirms the first one's proposals. */
export type Seeders = { first: AskOperatorApi; second: AskOperatorApi };

export type Proposed = { proposal?: { version: number } };
type Account = Proposed & { accountId: string; name: string; settings: unknown };

/** Makes the account of this name, or changes it where its settings are others. @returns its id. */
export async function keepAccount({ first, second }: Seeders, wanted: AccountRequest): Promise<string> {
  const purpose = `the account ${wanted.name} could not be made`;
  const path = "/operator/acquirer-accounts";
  const { items } = await first<{ items: Account[] }>("GET", path, { expected: 200, purpose });
  const found = items.find(({ name }) => name === wanted.name);
  const account = found
    ? await changed(first, found, wanted)
    : await first<Account>("POST", path, { body: wanted, expected: 201, purpose });
  await confirm(second, `${path}/${account.accountId}`, account);
  return account.accountId;
}

async function changed(ask: AskOperatorApi, found: Account, wanted: AccountRequest): Promise<Account> {
  if (isDeepStrictEqual(found.settings, wanted.settings)) return found;
  const { settings, secrets } = wanted;
  return await ask<Account>("PATCH", `/operator/acquirer-accounts/${found.accountId}`, {
    body: { settings, secrets },
    expected: 200,
    purpose: `the account ${wanted.name} could not be changed`,
  });
}

/** The second person says the same, where that is asked for. */
export async function confirm(ask: AskOperatorApi, path: string, { proposal }: Proposed): Promise<void> {
  if (!proposal) return;
  await ask("POST", `${path}/confirm`, {
    body: { version: proposal.version },
    expected: 200,
    purpose: "what was proposed for a bank could not be confirmed",
  });
}
