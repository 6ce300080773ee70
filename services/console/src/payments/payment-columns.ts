import { chargedAmount, type ApiPaymentResponse } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { REFUND_TEXTS } from "../refunds/refund-texts.ts";
import { amountText, cardText, statusBadge, testBadge, timeElement } from "../ui/format.ts";
import type { Reader } from "../ui/page-context.ts";
import type { Column } from "../ui/table.ts";
import { moneyParts } from "./money-bar.ts";

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
    {
      heading: texts.status,
      cell: ({ payment }) => html`${statusBadge(reader, payment.status)} ${takenFrom(reader, payment)}`,
    },
    { heading: texts.card, cell: ({ payment }) => cardText(payment.pan) },
  ];
}

/** The parts that the status does not say: money that went back, and money that is disputed. */
function takenFrom({ language }: Reader, payment: ApiPaymentResponse): Html {
  const texts = REFUND_TEXTS[language];
  const { refunded, disputed } = moneyParts(payment) ?? { refunded: 0, disputed: 0 };
  return html`${refunded > 0 && html`<span class="badge">${texts.refundedPart}</span>`}
  ${disputed > 0 && html`<span class="badge bad">${texts.disputedPart}</span>`}`;
}
