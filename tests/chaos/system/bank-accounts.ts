import { withClient } from "@holdfast/sandbox/infrastructure";
import { eventually, plantAccount, plantSettlementAccount, TEST_ACCOUNT_ID } from "../../support/index.ts";
import type { OperatorClient } from "../client/operator-client.ts";
import { bankHabits } from "./bank-habits.ts";
import type { ForeignBank } from "./foreign-banks.ts";
import type { Shop } from "./onboard-merchant.ts";
import type { Surroundings } from "./service-process.ts";

/** Which accounts a merchant's payments may be at, by the merchant. */
export type PlacesOfMoney = Record<string, string[]>;

/**
 * Opens an account at each bank and routes each merchant's lira there: the first merchant's to the first
 * bank, and the second's to the second. Each has the other bank as the next account, if the first cannot be
 * reached or declines softly. Other currencies go to the default account. One operator proposes, and another
 * confirms.
 */
export async function openAccounts(
  { proposes, confirms }: { proposes: OperatorClient; confirms: OperatorClient },
  banks: readonly ForeignBank[],
  shops: readonly Shop[],
): Promise<{ accountIds: Record<string, string>; places: PlacesOfMoney }> {
  const accountIds: Record<string, string> = {};
  for (const bank of banks) accountIds[bank.name] = await openAccount({ proposes, confirms }, bank);
  const places: PlacesOfMoney = {};
  for (const [index, { merchant }] of shops.entries()) {
    const ids = Object.values(accountIds);
    const inOrder = ids.map((_, place) => ids[(index + place) % ids.length]!);
    await route({ proposes, confirms }, merchant.merchantId, inOrder);
    places[merchant.merchantId] = [...inOrder, TEST_ACCOUNT_ID];
  }
  return { accountIds, places };
}

type People = { proposes: OperatorClient; confirms: OperatorClient };

/** A process that was started a moment ago may not answer in time: the outcome is looked up, and it is asked again. */
async function openAccount({ proposes, confirms }: People, { name, account }: ForeignBank): Promise<string> {
  const path = "/operator/acquirer-accounts";
  const accountId = await eventually(async () => {
    const { body } = await proposes.read(path);
    const items = (body as { items?: { accountId: string; name: string }[] } | undefined)?.items;
    const made = items?.find((item) => item.name === name);
    if (items && !made)
      await proposes.change({
        action: "account.proposed",
        method: "POST",
        path,
        body: account,
        subjectIn: "accountId",
      });
    return made?.accountId ?? false;
  });
  await eventually(async () => {
    const { body } = await confirms.read(`${path}/${accountId}`);
    if ((body as { version?: number } | undefined)?.version === 1) return true;
    await confirms.change({
      action: "account.confirmed",
      method: "POST",
      path: `${path}/${accountId}/confirm`,
      body: { version: 1 },
      subject: accountId,
    });
    return false;
  });
  return accountId;
}

async function route(
  { proposes, confirms }: People,
  merchantId: string,
  accountIds: string[],
): Promise<void> {
  const path = `/operator/merchants/${merchantId}/routes`;
  await eventually(async () => {
    const { body } = await proposes.read(path);
    const now = body as { routes?: unknown[]; proposal?: { version: number } } | undefined;
    if (now?.proposal)
      await confirms.change({
        action: "routes.confirmed",
        method: "POST",
        path: `${path}/confirm`,
        body: { version: now.proposal.version },
        subject: merchantId,
      });
    else if (now?.routes?.length === 0)
      await proposes.change({
        action: "routes.proposed",
        method: "PUT",
        path,
        // The last account has no next one.
        body: accountIds.map((accountId, index) => ({
          currency: "TRY",
          accountId,
          retrySoftDeclines: index < accountIds.length - 1,
        })),
        subject: merchantId,
      });
    return now?.routes?.length === accountIds.length;
  });
}

/** The default account, of payments in whatever no route names; a run has it before its processes start. */
export async function plantAcquirer(
  superuserUrl: string,
  { secrets, timers, env }: Surroundings,
  port: number,
): Promise<void> {
  const ACCOUNT_SECRET_KEYS = `k1:${secrets.accountSecretKey}`;
  const bank = { url: `http://127.0.0.1:${port}`, ...bankHabits() };
  await withClient(superuserUrl, async (client) => {
    const query = (text: string, values: unknown[]) => client.query(text, values);
    await plantAccount(query, { ACCOUNT_SECRET_KEYS, ...timers, ...env }, bank);
    await plantSettlementAccount(query);
  });
}
