// An account at a bank, as the operator API makes it. If the installation asks for two people, the second confirms.
import { isDeepStrictEqual } from "node:util";
import type { AccountRequest } from "./banks.ts";
import type { AskOperatorApi } from "./operator-client.ts";

/** The two operators. If the installation asks for two people, the second one confirms the first one's proposals. */
export type Seeders = { first: AskOperatorApi; second: AskOperatorApi };

export type Proposed = { proposal?: { version: number } };
type Account = Proposed & { accountId: string; name: string; settings: unknown };

/**
 * Makes the account of this name. One with other settings is kept for its payments, under another name: its terminal cannot
 * change once a payment was sent there. @returns its id.
 */
export async function keepAccount(seeders: Seeders, wanted: AccountRequest): Promise<string> {
  const { first, second } = seeders;
  const purpose = `the account ${wanted.name} could not be made`;
  const { items } = await first<{ items: Account[] }>("GET", PATH, { expected: 200, purpose });
  const found = items.find(({ name }) => name === wanted.name);
  if (found && isDeepStrictEqual(found.settings, wanted.settings)) {
    await confirm(second, `${PATH}/${found.accountId}`, found);
    return found.accountId;
  }
  if (found) await setAside(seeders, found);
  const account = await first<Account>("POST", PATH, { body: wanted, expected: 201, purpose });
  await confirm(second, `${PATH}/${account.accountId}`, account);
  return account.accountId;
}

const PATH = "/operator/acquirer-accounts";

/** The default account, at the acquirer simulator. */
export function simulatorAccount(url: string): AccountRequest {
  return {
    protocol: "sim",
    name: "Acquirer simulator",
    default: true,
    // More than any load of one machine has under way.
    connectionsMax: 2_048,
    currencies: ["TRY", "USD", "EUR", "GBP", "JPY", "KWD"],
    settings: { url },
    secrets: {},
  };
}

async function setAside({ first, second }: Seeders, { accountId, name }: Account): Promise<void> {
  const path = `${PATH}/${accountId}`;
  const account = await first<Account>("PATCH", path, {
    body: { name: `${name} until ${new Date().toISOString()}`, state: "NO_NEW_PAYMENTS", default: false },
    expected: 200,
    purpose: `the account ${name} could not be set aside`,
  });
  await confirm(second, path, account);
}

/** Confirms the proposal as the second person, if a second person is required. */
export async function confirm(ask: AskOperatorApi, path: string, { proposal }: Proposed): Promise<void> {
  if (!proposal) return;
  await ask("POST", `${path}/confirm`, {
    body: { version: proposal.version },
    expected: 200,
    purpose: "what was proposed for a bank could not be confirmed",
  });
}
