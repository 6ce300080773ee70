import type { LOOK_UP_FILTERS, OperatorListFilter, SearchMatch } from "@holdfast/contracts";

/** A way to read a search text: as this of a payment or refund. */
export type LookUp = { matchedBy: SearchMatch; filter: Pick<OperatorListFilter, LookUpName | "bin"> };

type LookUpName = (typeof LOOK_UP_FILTERS)[number];

/** Every way to read a text that may find something; an id is no filter of a list, and is found by itself. */
export function lookUpsOf(text: string): LookUp[] {
  const [, bin, last4] = /^(\d{6})\*+(\d{4})$/.exec(text) ?? [];
  if (bin !== undefined && last4 !== undefined) return [{ matchedBy: "pan", filter: { bin, last4 } }];
  const names = ["orderId", "externalTransactionId", "authCode", "customerId"] as const;
  return [
    ...(/^\d{4}$/.test(text) ? [{ matchedBy: "last4" as const, filter: { last4: text } }] : []),
    ...names
      .filter((name) => text.length <= LENGTH_MAX[name])
      .map((name) => ({ matchedBy: name, filter: { [name]: text } })),
  ];
}

/** Of the columns. */
const LENGTH_MAX = { orderId: 64, externalTransactionId: 128, authCode: 32, customerId: 64 };
