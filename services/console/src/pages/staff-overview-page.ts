import { listOperatorRefunds } from "@holdfast/contracts";
import type { Page, PageAnswer, PageContext } from "./page-context.ts";
import { waitingTable } from "./waiting-table.ts";

/** What waits for a decision about the merchant's refunds. What a bank has not answered is for operators to work off. */
export const staffOverviewPage: Page = {
  audience: "staff",
  method: "GET",
  path: "/",
  answer: answerOverview,
};

async function answerOverview({ api, reader }: PageContext): Promise<PageAnswer> {
  const { texts } = reader;
  const query = { status: "PENDING_APPROVAL", limit: "200" };
  const list = await api.read(listOperatorRefunds, { query });
  const oldest = list.items[0]?.paymentDate;
  const content = waitingTable(reader, [{ text: texts.refundQueue, href: "/refunds", list, oldest }]);
  return { kind: "page", title: texts.overview, content };
}
