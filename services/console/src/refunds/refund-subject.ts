import type { Subject } from "../ui/action-forms.ts";
import { amountText, cardText } from "../ui/format.ts";
import type { Reader } from "../ui/page-context.ts";
import type { ListedRefund } from "./refund-columns.ts";

/** A refund, as the question before its decision names it. */
export function subjectOf(reader: Reader, refund: ListedRefund): Subject {
  const { amount, currency, pan, orderId, merchantName, merchantId } = refund;
  return {
    path: `/refunds/${refund.refundId}`,
    amount: amountText(reader, amount, currency),
    seen: { amount, currency },
    about: reader.texts.cardAndOrder(cardText(pan), orderId, merchantName ?? merchantId),
  };
}
