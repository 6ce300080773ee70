import type { OperatorRefund } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { ageElement, amountText, cardText, testBadge, timeElement } from "../ui/format.ts";
import type { Reader } from "../ui/page-context.ts";
import type { Column } from "../ui/table.ts";
import { REFUND_TEXTS } from "./refund-texts.ts";

export type ListedRefund = OperatorRefund & { merchantName?: string | undefined };

/** The first columns of each list of refunds. */
export function refundColumns(reader: Reader): Column<ListedRefund>[] {
  const { texts } = reader;
  return [
    { heading: texts.made, cell: ({ paymentDate }) => timeElement(reader, paymentDate) },
    {
      heading: texts.refund,
      cell: ({ refundId, orderId, livemode }) =>
        html`<a class="order" href="/refunds/${refundId}">${orderId}</a>${testBadge(reader, livemode)}`,
    },
    { heading: texts.merchant, cell: ({ merchantId, merchantName }) => merchantName ?? merchantId },
    {
      heading: texts.amount,
      isNumber: true,
      cell: ({ amount, currency }) => amountText(reader, amount, currency),
    },
  ];
}

/** The facts to decide by: the payment's money, the requester and the reason, the card, and the age. */
export function decidingColumns(reader: Reader): Column<ListedRefund>[] {
  const { texts } = reader;
  const own = REFUND_TEXTS[reader.language];
  const [, order, merchant, amount] = refundColumns(reader);
  return [
    order!,
    merchant!,
    amount!,
    {
      heading: own.ofPayment,
      isNumber: true,
      cell: ({ ofPayment, currency }) => (ofPayment ? amountText(reader, ofPayment.amount, currency) : "–"),
    },
    { heading: own.takenAlready, cell: (refund) => takenAlready(reader, refund) },
    { heading: texts.reason, cell: (refund) => reasonOf(reader, refund) },
    { heading: texts.card, cell: ({ pan }) => html`<span class="word">${cardText(pan)}</span>` },
    {
      heading: texts.age,
      cell: ({ ageSeconds, paymentDate }) => ageElement(reader, ageSeconds, paymentDate),
    },
  ];
}

/** The amounts of the payment that are back, on their way back, or disputed, beside this refund. */
export function takenAlready(reader: Reader, refund: OperatorRefund): Html {
  const { amount, currency, ofPayment, status } = refund;
  const money = REFUND_TEXTS[reader.language];
  if (!ofPayment) return html`–`;
  const own = status === "PENDING_APPROVAL" ? amount : 0;
  const parts = [
    { text: money.refundedPart, value: ofPayment.refundedAmount, look: "" },
    { text: money.pendingPart, value: ofPayment.pendingRefundAmount - own, look: "" },
    { text: money.disputedPart, value: ofPayment.chargedBackAmount, look: "bad" },
  ].filter(({ value }) => value > SMALLEST);
  if (parts.length === 0) return html`–`;
  return html`${parts.map(
    ({ text, value, look }) =>
      html`<span class="badge ${look}">${text} ${amountText(reader, value, currency)}</span> `,
  )}`;
}

/** A difference of two amounts may miss 0 by less than any currency's smallest unit. */
const SMALLEST = 0.000_05;

function reasonOf({ texts }: Reader, { requestReason, requestedBy }: OperatorRefund): Html {
  const who = requestedBy ?? html`<span class="word">${texts.askedByMerchant}</span>`;
  return html`${requestReason} <span class="quiet">(${who})</span>`;
}
