import { operations, type Proposal, type ProposalKind } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { amountText, timeElement } from "../ui/format.ts";
import { modeOf, type PageContext, type Reader } from "../ui/page-context.ts";
import type { ListPage } from "../ui/read-list.ts";
import { pageLinks, table, type Column } from "../ui/table.ts";
import { awayNote, unlessAway } from "../ui/unless-away.ts";
import { OVERVIEW_TEXTS } from "./overview-texts.ts";
import { countOf, listIn, type WaitingWork } from "./waiting-table.ts";

type ListedProposal = Proposal & { merchantName?: string | undefined };
/** The proposals of the kinds that the person may decide; undefined while a service is away. */
export type Proposals = ListPage<ListedProposal> | undefined;

export async function readProposals(
  { api, query }: PageContext,
  page: { limit?: string; cursor?: string | undefined },
): Promise<Proposals> {
  const asked = { livemode: modeOf(query), ...page };
  return await unlessAway(api.read(operations.listProposals, { query: asked }));
}

/** A line of the waiting work. */
export function proposalWork(context: PageContext, proposals: Proposals): WaitingWork {
  const { reader } = context;
  return {
    text: OVERVIEW_TEXTS[reader.language].proposals,
    href: `${listIn(context, "/unresolved")}#proposals`,
    count: countOf(reader, proposals),
    oldest: proposals?.items[0]?.since,
  };
}

/** The proposals of one person, each with the way to the page on which another one decides. */
export function proposalSection({ query, reader }: PageContext, proposals: Proposals): Html {
  const texts = OVERVIEW_TEXTS[reader.language];
  const links = { path: "/unresolved", text: texts.nextProposals, name: "proposalsCursor" };
  return html`<div id="proposals">
    ${
      proposals
        ? html`${table(texts.proposals, columns(reader), { rows: proposals.items, empty: texts.noProposals })}
          ${pageLinks(reader, links, query, proposals.nextCursor)}`
        : awayNote(reader, texts.proposals, proposals)
    }
  </div>`;
}

function columns(reader: Reader): Column<ListedProposal>[] {
  const { texts } = reader;
  const own = OVERVIEW_TEXTS[reader.language];
  return [
    {
      heading: texts.decision,
      cell: ({ kind, subjectId }) =>
        html`<a href="${PLACES[kind]}${encodeURIComponent(subjectId)}">${own.proposalKinds[kind]}</a>`,
    },
    {
      heading: own.about,
      cell: ({ merchantName, accountName, merchantId, accountId }) =>
        merchantName ?? accountName ?? merchantId ?? accountId ?? "–",
    },
    {
      heading: texts.amount,
      isNumber: true,
      cell: ({ amount, currency }) =>
        amount === undefined || currency === undefined ? "–" : amountText(reader, amount, currency),
    },
    { heading: own.proposedBy, cell: ({ proposedBy }) => proposedBy },
    { heading: own.since, cell: ({ since }) => timeElement(reader, since) },
  ];
}

/** The beginning of the address at which each is decided. */
const PLACES: Record<ProposalKind, string> = {
  ACCOUNT_CHANGE: "/accounts/",
  ROUTES: "/merchants/",
  PAYMENT_OUTCOME: "/payments/",
  CHARGEBACK_OUTCOME: "/disputes/",
  REFUND_APPROVAL: "/refunds/",
  REFUND_OUTCOME: "/refunds/",
  DIFFERENCE: "/settlement/differences/",
  SETTLEMENT_FILE: "/settlement/imports/",
};
