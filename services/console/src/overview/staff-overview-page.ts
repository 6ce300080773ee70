import { listOperatorRefunds, listOperatorWebhookDeliveries } from "@holdfast/contracts";
import { html } from "@holdfast/html";
import { asOf } from "../ui/as-of.ts";
import type { Page, PageAnswer, PageContext } from "../ui/page-context.ts";
import { waitingDeliveries, waitingTable } from "./waiting-table.ts";

/**
 * Refunds of the merchant that wait for a decision, and webhooks that did not arrive yet. Payments without a bank's
 * answer are for operators to work off.
 */
export const staffOverviewPage: Page = {
  audience: "staff",
  method: "GET",
  path: "/",
  answer: answerOverview,
};

async function answerOverview(context: PageContext): Promise<PageAnswer> {
  const { api, reader } = context;
  const { texts } = reader;
  const [refunds, deliveries] = await Promise.all([
    api.read(listOperatorRefunds, { query: { status: "PENDING_APPROVAL", limit: "200" } }),
    api.read(listOperatorWebhookDeliveries, { query: { status: "pending", limit: "200" } }),
  ]);
  const content = html`${asOf(context, "/")}
  ${waitingTable(reader, [
    { text: texts.refundQueue, href: "/refunds", list: refunds, oldest: refunds.items[0]?.paymentDate },
    waitingDeliveries(reader, deliveries),
  ])}`;
  return { kind: "page", title: texts.overview, content };
}
