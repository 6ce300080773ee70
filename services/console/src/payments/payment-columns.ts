import { chargedAmount, type ApiPaymentResponse } from "@holdfast/contracts";
import { html } from "@holdfast/html";
import { amountText, cardText, statusBadge, testBadge, timeElement } from "../ui/format.ts";
import type { Reader } from "../ui/page-context.ts";
import type { Column } from "../ui/table.ts";

/** A payment as each list of payments shows it. */
export type ListedPayment = {
  payment: ApiPaymentResponse;
  merchantId: string;
  merchantName?: string | undefined;
};

export function paymentColumns(reader: Reader): Column<ListedPayment>[] {
  const { texts } = reader;
  return [
    { heading: texts.made, cell: ({ payment }) => timeElement(reader, payment.paymentDate) },
    {
      heading: texts.order,
      cell: ({ payment }) =>
        html`<a class="order" href="/payments/${payment.paymentId}">${payment.orderId}</a
          >${testBadge(reader, payment.livemode)}`,
    },
    { heading: texts.merchant, cell: ({ merchantId, merchantName }) => merchantName ?? merchantId },
    {
      heading: texts.amount,
      isNumber: true,
      cell: ({ payment }) => amountText(reader, chargedAmount(payment), payment.currency),
    },
    { heading: texts.status, cell: ({ payment }) => statusBadge(reader, payment.status) },
    { heading: texts.card, cell: ({ payment }) => cardText(payment.pan) },
  ];
}
