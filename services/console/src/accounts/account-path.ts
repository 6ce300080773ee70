import { html, type Html } from "@holdfast/html";

/** The address of an account's page. */
export function accountPath(accountId: string): string {
  return `/accounts/${encodeURIComponent(accountId)}`;
}

/** The way to an account, by its name. */
export function accountLink({ accountId, name }: { accountId: string; name: string }): Html {
  return html`<a href="${accountPath(accountId)}">${name}</a>`;
}
