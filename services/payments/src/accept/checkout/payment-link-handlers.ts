import {
  beginPaymentLink as beginPaymentLinkCommand,
  operations,
  viewPaymentLink as viewPaymentLinkCommand,
  type CommandReply,
  type ListPart,
  type PaymentLinkRecord,
} from "@holdfast/contracts";
import { partOf, readList, type ListTable } from "@holdfast/lists";
import { handler } from "@holdfast/messaging";
import { sql, type Kysely } from "kysely";
import type { z } from "zod";
import type { PaymentsDatabase } from "../../database.ts";
import { beginPaymentLink, viewPaymentLink } from "./begin-payment-link.ts";
import { endPaymentLink, makePaymentLink, type PaymentLinkDeps } from "./make-payment-link.ts";
import { findPaymentLink, LINK_COLUMNS, type FoundLink } from "./payment-link-queries.ts";
import { paymentLinkRecord } from "./payment-link-record.ts";

type Deps = PaymentLinkDeps & {
  /** The database on the connections of lists. */
  lists: Kysely<PaymentsDatabase>;
  /** The lifetime of a checkout that a buyer begins. */
  limits: { checkoutExpiresAfterMs: number };
};

/** The commands of merchants and of the links' page. */
export function paymentLinkHandlers(deps: Deps) {
  return [
    handler(operations.createPaymentLink.command, (message) => makePaymentLink(deps, message)),
    handler(operations.disablePaymentLink.command, (message) => endPaymentLink(deps, message)),
    handler(operations.getPaymentLink.command, ({ context, payload: { paymentLinkId } }) =>
      showPaymentLink(deps, context.merchant.merchantId, paymentLinkId),
    ),
    handler(operations.listPaymentLinks.command, ({ context, payload }) =>
      showPaymentLinks(deps, context.merchant.merchantId, payload),
    ),
    handler(viewPaymentLinkCommand, ({ payload }) => viewPaymentLink(deps, payload.paymentLinkId)),
    handler(beginPaymentLinkCommand, ({ payload }) => beginPaymentLink(deps, payload)),
  ];
}

/** One of the merchant's links. */
export async function showPaymentLink(
  { db }: Pick<Deps, "db">,
  merchantId: string,
  paymentLinkId: string,
): Promise<CommandReply<PaymentLinkRecord>> {
  const found = await findPaymentLink(db, paymentLinkId, merchantId);
  if (!found) return { outcome: "problem", code: "payment_link_not_found" };
  return { outcome: "done", result: paymentLinkRecord(found) };
}

/** A part of the merchant's links, newest first. */
export async function showPaymentLinks(
  { lists }: Pick<Deps, "lists">,
  merchantId: string,
  { after, limit }: z.infer<typeof operations.listPaymentLinks.command.request>,
): Promise<CommandReply<ListPart<PaymentLinkRecord>>> {
  const read = await readList<FoundLink>(lists, PAYMENT_LINKS, { filter: { merchantId }, after, limit });
  return { outcome: "done", result: partOf(read, paymentLinkRecord) };
}

/** Payment links have no status and no type of transaction to search by. */
const PAYMENT_LINKS: ListTable = {
  name: "payment_link",
  id: "payment_link_id",
  status: sql<string>`null`,
  transactionType: sql<string>`null`,
  columns: LINK_COLUMNS,
  hasStatusIndex: () => false,
};
