import { operations } from "@holdfast/contracts";
import { html } from "@holdfast/html";
import { asOf } from "../ui/as-of.ts";
import { isTestMode, modeOf, type Page, type PageAnswer, type PageContext } from "../ui/page-context.ts";
import { failingTable, failingWork, readOwnFailingEndpoints } from "./failing-endpoints.ts";
import { readFigures, salesSection } from "./sales-section.ts";
import { unlessAway } from "../ui/unless-away.ts";
import { owedSection, readOwed } from "./owed-section.ts";
import { countOf, disputeWork, listIn, waitingTable } from "./waiting-table.ts";

/**
 * The merchant's endpoints that fail, its refunds that wait for a decision, its disputes, its sales of today and
 * what it is owed. Payments without a bank's answer are for operators to work off.
 */
export const staffOverviewPage: Page = {
  audience: "staff",
  method: "GET",
  path: "/",
  answer: answerOverview,
};

async function answerOverview(context: PageContext): Promise<PageAnswer> {
  const { api, query, reader, session } = context;
  const { texts } = reader;
  const [figures, refunds, failing, owed] = await Promise.all([
    readFigures(context),
    unlessAway(
      api.read(operations.listRefunds, {
        query: { status: "PENDING_APPROVAL", livemode: modeOf(query), limit: "200" },
      }),
    ),
    unlessAway(readOwnFailingEndpoints(context, session.staff!.merchantId)),
    isTestMode(query) ? undefined : unlessAway(readOwed(context)),
  ]);
  const content = html`${asOf(context, "/")} ${failing && failingTable(reader, failing)}
  ${waitingTable(reader, [
    {
      text: texts.refundQueue,
      href: listIn(context, "/refunds"),
      count: countOf(reader, refunds),
      oldest: refunds?.items[0]?.paymentDate,
    },
    disputeWork(context, figures?.openDisputes),
    failingWork(reader, failing),
  ])}
  ${salesSection(context, figures)} ${!isTestMode(query) && owedSection(context, owed)}`;
  return { kind: "page", title: texts.overview, content, isTest: isTestMode(query) };
}
