import type { Difference } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { linkToAccount, type KnownAccounts } from "../accounts/account-path.ts";
import { amountText, statusBadge, timeElement } from "../ui/format.ts";
import type { PageContext, Reader } from "../ui/page-context.ts";
import { table } from "../ui/table.ts";
import { keptFilter } from "./kept-filter.ts";
import { SETTLEMENT_TEXTS } from "./settlement-texts.ts";

/** Differences between the bank's files and our records, each with the way to its page, which keeps the list's filters. */
export function differenceTable(
  { query, reader }: Pick<PageContext, "query" | "reader">,
  caption: string,
  { rows, accounts }: { rows: readonly Difference[]; accounts: KnownAccounts },
): Html {
  const texts = SETTLEMENT_TEXTS[reader.language];
  return table(
    caption,
    [
      { heading: texts.opened, cell: ({ openedAt }: Difference) => timeElement(reader, openedAt) },
      {
        heading: texts.kind,
        cell: ({ differenceId, class: kind }) =>
          html`<a href="/settlement/differences/${differenceId}${keptFilter(query)}"
            >${texts.classes[kind]}</a
          >`,
      },
      { heading: texts.account, cell: ({ accountId }) => linkToAccount(accounts, accountId) },
      { heading: texts.ours, isNumber: true, cell: ({ ours }) => sideText(reader, ours) },
      { heading: texts.theirs, isNumber: true, cell: ({ theirs }) => sideText(reader, theirs) },
      {
        heading: texts.atStake,
        isNumber: true,
        cell: ({ amount, currency }) => stakeText(reader, amount, currency),
      },
      { heading: texts.assignee, cell: ({ assignee }) => assignee ?? "–" },
      { heading: reader.texts.status, cell: (difference) => stateOf(reader, difference) },
    ],
    { rows, empty: texts.noDifferences },
  );
}

/** The state, and the people who made it. */
export function stateOf(reader: Reader, { state, proposedBy, closedBy }: Difference): Html {
  const texts = SETTLEMENT_TEXTS[reader.language];
  return html`${statusBadge(reader, state)}
  ${state === "PROPOSED" && proposedBy !== undefined && html`<p>${texts.proposedBy(proposedBy)}</p>`}
  ${closedBy !== undefined && html`<p>${texts.closedBy} ${closedBy}</p>`}`;
}

/** The amount of a side, if it has one. */
export function sideText(reader: Reader, side: Difference["ours"]): string {
  return side ? amountText(reader, side.amount, side.currency) : "–";
}

/** The amount of a line that could not be read may be unknown. */
export function stakeText(reader: Reader, amount: number | undefined, currency: string | undefined): string {
  if (amount === undefined || currency === undefined) return SETTLEMENT_TEXTS[reader.language].unknownAmount;
  return amountText(reader, amount, currency);
}
