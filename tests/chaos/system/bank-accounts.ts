import type { OperatorClient } from "../client/operator-client.ts";
import type { ForeignBank } from "./foreign-banks.ts";
import type { Shop } from "./onboard-merchant.ts";

/** Which accounts a merchant's payments may be at, by the merchant; null is the account of `ACQUIRER_URL`. */
export type PlacesOfMoney = Record<string, (string | null)[]>;

/**
 * Opens an account at each bank and routes each merchant's lira there: the first merchant's to the first bank, the second's to
 * the second, each with the other one as the next where the first cannot be reached. Other currencies go to the default
 * account. One operator proposes, another confirms.
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
    places[merchant.merchantId] = [...inOrder, null];
  }
  return { accountIds, places };
}

type People = { proposes: OperatorClient; confirms: OperatorClient };

async function openAccount({ proposes, confirms }: People, { account }: ForeignBank): Promise<string> {
  const path = "/operator/acquirer-accounts";
  const made = await proposes.change({
    action: "account.proposed",
    method: "POST",
    path,
    body: account,
    subjectIn: "accountId",
  });
  if (made.status !== 201) throw new Error(`the account was refused: ${JSON.stringify(made)}`);
  const { accountId } = made.body as { accountId: string };
  const confirmed = await confirms.change({
    action: "account.confirmed",
    method: "POST",
    path: `${path}/${accountId}/confirm`,
    body: { version: 1 },
    subject: accountId,
  });
  if (confirmed.status !== 200)
    throw new Error(`the account was not confirmed: ${JSON.stringify(confirmed)}`);
  return accountId;
}

async function route(
  { proposes, confirms }: People,
  merchantId: string,
  accountIds: string[],
): Promise<void> {
  const path = `/operator/merchants/${merchantId}/routes`;
  const proposed = await proposes.change({
    action: "routes.proposed",
    method: "PUT",
    path,
    body: accountIds.map((accountId) => ({ currency: "TRY", accountId })),
    subject: merchantId,
  });
  const confirmed = await confirms.change({
    action: "routes.confirmed",
    method: "POST",
    path: `${path}/confirm`,
    body: { version: 1 },
    subject: merchantId,
  });
  if (confirmed.status !== 200)
    throw new Error(`the routes were refused: ${JSON.stringify([proposed, confirmed])}`);
}
