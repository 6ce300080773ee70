// Makes for each bank of `--banks` an account through the operator API, and a merchant whose payments all go there.
import { isDeepStrictEqual } from "node:util";
import { bankAccount, banks, type BankContracts, type BankProtocol } from "./banks.ts";
import { onboard } from "./demo-merchant.ts";
import { confirm, keepAccount, type Proposed, type Seeders } from "./keep-account.ts";
import type { AskOperatorApi } from "./operator-client.ts";
import type { Merchant, SecretsFile } from "./secrets.ts";

/** A bank of the sandbox, as sandbox.json describes it. */
export type SandboxBank = {
  protocol: BankProtocol;
  url: string;
  /** GET answers every operation that the bank has judged, as newline-delimited JSON. */
  ledgerUrl: string;
  accountId: string;
  merchant: Merchant;
};

/** Creates whatever is missing, and corrects differences: a bank may be at another port than before. */
export async function seedBank(
  secrets: SecretsFile,
  seeders: Seeders,
  { protocol, url, publicUrl }: { protocol: BankProtocol; url: string; publicUrl: string },
): Promise<SandboxBank> {
  const accountId = await keepAccount(seeders, bankAccount(protocol, url, secrets.read().bankContracts));
  const merchant = await keepMerchant(secrets, seeders.first, protocol);
  await keepRoutes(seeders, merchant.merchantId, accountId);
  await directNotifications(protocol, url, {
    address: `${publicUrl}/bank-notifications/${accountId}`,
    contracts: secrets.read().bankContracts,
  });
  return { protocol, url, ledgerUrl: `${url}/ledger`, accountId, merchant };
}

/** The bank learns the address as it would in its merchant panel, since the account has been made by now. */
async function directNotifications(
  protocol: BankProtocol,
  url: string,
  { address, contracts }: { address: string; contracts: BankContracts },
): Promise<void> {
  const body = banks[protocol].notifications?.(address, contracts);
  if (!body) return;
  const { ok, status } = await fetch(`${url}/notifications`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!ok) throw new Error(`the ${protocol} simulator answers /notifications with ${status}`);
}

type Routes = Proposed & { routes: unknown };

async function keepMerchant(
  secrets: SecretsFile,
  ask: AskOperatorApi,
  protocol: BankProtocol,
): Promise<Merchant> {
  const kept = secrets.read().bankMerchants;
  const merchant = kept[protocol] ?? (await onboard(ask, `${banks[protocol].label} Shop`));
  secrets.update({ bankMerchants: { ...kept, [protocol]: merchant } });
  return merchant;
}

async function keepRoutes({ first, second }: Seeders, merchantId: string, accountId: string): Promise<void> {
  const path = `/operator/merchants/${merchantId}/routes`;
  const purpose = "the routes of a bank's merchant could not be set";
  const wanted = [{ accountId }];
  const found = await first<Routes>("GET", path, { expected: 200, purpose });
  const routes = isDeepStrictEqual(found.routes, wanted)
    ? found
    : await first<Routes>("PUT", path, { body: wanted, expected: 200, purpose });
  await confirm(second, path, routes);
}
