import type { OperatorRefund } from "@holdfast/contracts";
import { html } from "@holdfast/html";
import { amountText, testBadge, timeElement } from "../ui/format.ts";
import type { Reader } from "../ui/page-context.ts";
import type { Column } from "../ui/table.ts";

/** The first columns of each list of refunds. */
export function refundColumns(
  reader: Reader,
): Column<OperatorRefund & { merchantName?: string | undefined }>[] {
  const { texts } = reader;
  return [
    { heading: texts.made, cell: ({ paymentDate }) => timeElement(reader, paymentDate) },
    {
      heading: texts.refund,
      cell: ({ refundId, orderId, livemode }) =>
        html`<a href="/refunds/${refundId}">${orderId}</a>${testBadge(reader, livemode)}`,
    },
    { heading: texts.merchant, cell: ({ merchantId, merchantName }) => merchantName ?? merchantId },
    {
      heading: texts.amount,
      isNumber: true,
      cell: ({ amount, currency }) => amountText(reader, amount, currency),
    },
  ];
}
