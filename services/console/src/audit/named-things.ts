import {
  isLive,
  merchantIdOf,
  operations,
  type AcquirerAccount,
  type AuditLogEntry,
  type Merchant,
} from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { accountLink } from "../accounts/account-path.ts";
import { testBadge } from "../ui/format.ts";
import { readMerchants } from "../ui/merchant-field.ts";
import type { PageContext, Reader } from "../ui/page-context.ts";
import { unlessAway } from "../ui/unless-away.ts";

/** The newest merchants, and the accounts at banks; none of these while `payments` is away. */
export type NamedThings = {
  merchants: readonly Pick<Merchant, "merchantId" | "name">[];
  accounts: readonly Pick<AcquirerAccount, "accountId" | "name">[];
};

export async function readNamedThings(context: PageContext): Promise<NamedThings> {
  const [merchants, accounts] = await Promise.all([
    readMerchants(context),
    unlessAway(context.api.read(operations.listAcquirerAccounts)),
  ]);
  return { merchants: merchants.items, accounts: accounts?.items ?? [] };
}

/** The name of a merchant or of an account, with the way to its page; undefined for the id of anything else. */
export function nameOfId(reader: Reader, { merchants, accounts }: NamedThings, id: string): Html | undefined {
  // In test mode a merchant has another id.
  const merchant = merchants.find(({ merchantId }) => merchantId === merchantIdOf(id));
  if (merchant) {
    const { merchantId, name } = merchant;
    return html`<a href="/merchants/${merchantId}">${name}</a>${testBadge(reader, isLive(id))}`;
  }
  const account = accounts.find(({ accountId }) => accountId === id);
  return account && accountLink(account);
}

/** A value of an entry's detail: the name before an id that has one, and the way from a key to its merchant's keys. */
export function namedValue(
  reader: Reader,
  things: NamedThings,
  { subject }: Pick<AuditLogEntry, "subject">,
): (name: string, text: string) => Html | string {
  return (name, text) => {
    if (name === "apiKey") return html`<a href="/merchants/${merchantIdOf(subject)}#keys">${text}</a>`;
    const known = nameOfId(reader, things, text);
    return known ? html`${known} <span class="quiet">${text}</span>` : text;
  };
}
