import { operations, type AcquirerAccount } from "@holdfast/contracts";
import { html } from "@holdfast/html";
import { ageElement, modeText, statusBadge } from "../ui/format.ts";
import { barText, roleBar } from "../ui/offers.ts";
import type { Page, PageAnswer, PageContext } from "../ui/page-context.ts";
import { table, type Column } from "../ui/table.ts";
import { doneNotice } from "../ui/take-action.ts";
import { changeAccount, changeState, confirmAccount, probeAccount } from "./account-actions.ts";
import { answerAccount } from "./account-page.ts";
import { accountLink } from "./account-path.ts";
import { ACCOUNT_TEXTS } from "./account-texts.ts";
import { installmentPricePages } from "./installment-price-pages.ts";
import { newAccountPages } from "./new-account-pages.ts";

/** The list of accounts at banks, the page for a new account, and each account's page with forms and prices. */
export const accountPages: Page[] = [
  { method: "GET", path: "/accounts", answer: answerList },
  ...newAccountPages,
  { method: "GET", path: "/accounts/:accountId", answer: (context) => answerAccount(context) },
  { method: "POST", path: "/accounts/:accountId/change", answer: changeAccount },
  { method: "POST", path: "/accounts/:accountId/state", answer: changeState },
  { method: "POST", path: "/accounts/:accountId/confirm", answer: confirmAccount },
  { method: "POST", path: "/accounts/:accountId/probe", answer: probeAccount },
  ...installmentPricePages,
];

async function answerList(context: PageContext): Promise<PageAnswer> {
  const { api, reader, session } = context;
  const texts = ACCOUNT_TEXTS[reader.language];
  const { items } = await api.read(operations.listAcquirerAccounts);
  const bar = roleBar(session, "admin", reader.texts);
  return {
    kind: "page",
    title: reader.texts.accounts,
    content: html`${table(reader.texts.accounts, columns(context), { rows: items, empty: texts.noAccounts })}
    ${
      bar === undefined
        ? html`<p><a class="button" href="/accounts/new">${texts.newAccount}</a></p>`
        : barText(texts.newAccount, { why: bar })
    }`,
    notice: doneNotice(context),
  };
}

function columns({ now, reader }: PageContext): Column<AcquirerAccount>[] {
  const texts = ACCOUNT_TEXTS[reader.language];
  return [
    { heading: texts.name, cell: accountLink },
    { heading: texts.protocol, cell: ({ protocol }) => protocol },
    { heading: reader.texts.mode, cell: ({ livemode }) => modeText(reader, livemode) },
    { heading: reader.texts.status, cell: ({ state }) => statusBadge(reader, state) },
    { heading: texts.currencies, cell: ({ currencies }) => currencies.join(", ") },
    { heading: texts.isDefault, cell: (account) => (account.default ? texts.yes : texts.no) },
    {
      heading: texts.waits,
      cell: ({ proposal }) => (proposal ? statusBadge(reader, "PROPOSED") : "–"),
    },
    {
      heading: texts.credentialsSince,
      cell: ({ secretsSince }) => {
        if (secretsSince === undefined) return "–";
        const seconds = (now.getTime() - Date.parse(secretsSince)) / 1_000;
        return ageElement(reader, Math.max(0, seconds), secretsSince);
      },
    },
  ];
}
