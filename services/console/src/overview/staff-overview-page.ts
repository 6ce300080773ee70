import { operations } from "@holdfast/contracts";
import { html } from "@holdfast/html";
import { asOf } from "../ui/as-of.ts";
import type { Page, PageAnswer, PageContext } from "../ui/page-context.ts";
import { failingTable, failingWork, readOwnFailingEndpoints } from "./failing-endpoints.ts";
import { countOf, waitingTable } from "./waiting-table.ts";

/**
 * Refunds of the merchant that wait for a decision, and its endpoints that fail. Payments without a bank's
 * answer are for operators to work off.
 */
export const staffOverviewPage: Page = {
  audience: "staff",
  method: "GET",
  path: "/",
  answer: answerOverview,
};

async function answerOverview(context: PageContext): Promise<PageAnswer> {
  const { api, reader, session } = context;
  const { texts } = reader;
  const [refunds, failing] = await Promise.all([
    api.read(operations.listRefunds, { query: { status: "PENDING_APPROVAL", limit: "200" } }),
    readOwnFailingEndpoints(context, session.staff!.merchantId),
  ]);
  const content = html`${asOf(context, "/")}
  ${waitingTable(reader, [
    {
      text: texts.refundQueue,
      href: "/refunds",
      count: countOf(refunds),
      oldest: refunds.items[0]?.paymentDate,
    },
    failingWork(reader, failing),
  ])}
  ${failingTable(reader, failing)}`;
  return { kind: "page", title: texts.overview, content };
}
