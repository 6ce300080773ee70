import {
  beginPaymentLink as beginPaymentLinkCommand,
  endPaymentLink as endPaymentLinkCommand,
  makePaymentLink as makePaymentLinkCommand,
  readPaymentLink as readPaymentLinkCommand,
  readPaymentLinks as readPaymentLinksCommand,
  viewPaymentLink as viewPaymentLinkCommand,
} from "@holdfast/contracts";
import { partOf, readList, type ListTable } from "@holdfast/lists";
import { handler } from "@holdfast/messaging";
import { sql, type Kysely } from "kysely";
import type { PaymentsDatabase } from "../database.ts";
import { beginPaymentLink, viewPaymentLink } from "./begin-payment-link.ts";
import { endPaymentLink, makePaymentLink, type PaymentLinkDeps } from "./make-payment-link.ts";
import { findPaymentLink, LINK_COLUMNS, type FoundLink } from "./payment-link-queries.ts";
import { paymentLinkRecord } from "./payment-link-record.ts";

type Deps = PaymentLinkDeps & {
  /** On the connections of lists. */
  lists: Kysely<PaymentsDatabase>;
  /** How long a checkout stays open that a buyer begins. */
  checkoutExpiresAfterMs: number;
};

/** The commands of merchants and of the links' page. */
export function paymentLinkHandlers(deps: Deps) {
  return [
    handler(makePaymentLinkCommand, (message) => makePaymentLink(deps, message)),
    handler(endPaymentLinkCommand, (message) => endPaymentLink(deps, message)),
    handler(readPaymentLinkCommand, async ({ context, payload: { paymentLinkId } }) => {
      const found = await findPaymentLink(deps.db, paymentLinkId, context.merchant.merchantId);
      if (!found) return { outcome: "problem", code: "payment_link_not_found" };
      return { outcome: "done", result: paymentLinkRecord(found) };
    }),
    handler(readPaymentLinksCommand, async ({ context, payload: { after, limit } }) => {
      const filter = { merchantId: context.merchant.merchantId };
      const read = await readList<FoundLink>(deps.lists, PAYMENT_LINKS, { filter, after, limit });
      return { outcome: "done", result: partOf(read, paymentLinkRecord) };
    }),
    handler(viewPaymentLinkCommand, ({ payload }) => viewPaymentLink(deps, payload.paymentLinkId)),
    handler(beginPaymentLinkCommand, ({ payload }) => beginPaymentLink(deps, payload)),
  ];
}

/** It has no status and no type of transaction by which it is searched. */
const PAYMENT_LINKS: ListTable = {
  name: "payment_link",
  id: "payment_link_id",
  status: sql<string>`null`,
  transactionType: sql<string>`null`,
  columns: LINK_COLUMNS,
  hasStatusIndex: () => false,
};
