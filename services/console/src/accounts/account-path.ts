import type { AcquirerAccount } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";

/** The address of an account's page. */
export function accountPath(accountId: string): string {
  return `/accounts/${encodeURIComponent(accountId)}`;
}

/** The accounts at banks, by which an id has a name; undefined while they are away. */
export type KnownAccounts = readonly AcquirerAccount[] | undefined;

/** The way to an account, by its name. */
export function accountLink({ accountId, name }: { accountId: string; name: string }): Html {
  return html`<a href="${accountPath(accountId)}">${name}</a>`;
}

/** The same by its id, and the id alone where no such account is known. */
export function linkToAccount(accounts: KnownAccounts, accountId: string): Html | string {
  const account = accounts?.find((each) => each.accountId === accountId);
  return account ? accountLink(account) : accountId;
}
