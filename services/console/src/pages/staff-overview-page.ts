import { listOperatorRefunds, listOperatorWebhookDeliveries } from "@holdfast/contracts";
import type { Page, PageAnswer, PageContext } from "./page-context.ts";
import { waitingDeliveries, waitingTable } from "./waiting-table.ts";

/** What waits for a decision about the merchant's refunds, and webhooks that did not arrive yet. What a bank has not answered is for operators to work off. */
export const staffOverviewPage: Page = {
  audience: "staff",
  method: "GET",
  path: "/",
  answer: answerOverview,
};

async function answerOverview({ api, reader }: PageContext): Promise<PageAnswer> {
  const { texts } = reader;
  const [refunds, deliveries] = await Promise.all([
    api.read(listOperatorRefunds, { query: { status: "PENDING_APPROVAL", limit: "200" } }),
    api.read(listOperatorWebhookDeliveries, { query: { status: "pending", limit: "200" } }),
  ]);
  const content = waitingTable(reader, [
    { text: texts.refundQueue, href: "/refunds", list: refunds, oldest: refunds.items[0]?.paymentDate },
    waitingDeliveries(reader, deliveries),
  ]);
  return { kind: "page", title: texts.overview, content };
}
