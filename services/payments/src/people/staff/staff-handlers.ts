import { appendAudit, readAuditEntriesBefore, staffOf } from "@holdfast/audit";
import {
  idInMode,
  isLive,
  operations,
  readAuditLog,
  staffVersionOf,
  type Chargeback,
  type CommandReply,
  type OperatorPayment,
  type OperatorPaymentDetail,
  type StaffContext,
} from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import type { Transaction } from "kysely";
import { listCheckouts, type ListCheckoutsDeps } from "../../accept/checkout/list-checkouts.ts";
import {
  endPaymentLink,
  makePaymentLink,
  type PaymentLinkDeps,
} from "../../accept/checkout/make-payment-link.ts";
import { showPaymentLink, showPaymentLinks } from "../../accept/checkout/payment-link-handlers.ts";
import { readCheckout } from "../../accept/checkout/read-checkout.ts";
import type { PaymentsDatabase } from "../../database.ts";
import { listCases } from "../../follow-up/chargeback/chargeback-handlers.ts";
import { figuresOf } from "../list/figures.ts";
import { listForOperator, type ListDeps } from "../list/list-payments.ts";
import type { MerchantOperations } from "../../follow-up/operation/merchant-operations.ts";
import { audit, describe } from "../operator/operator-request.ts";

type Deps = ListDeps & ListCheckoutsDeps & PaymentLinkDeps & { operations: MerchantOperations };

/**
 * Commands of a merchant's staff: the reads of operators and the actions of merchants, limited to the
 * merchant of the verified token. Staff do not see operators' data about the bank, nor their notes.
 */
export function staffHandlers(deps: Deps) {
  return [...readingHandlers(deps), ...changingHandlers(deps)];
}

function readingHandlers(deps: Deps) {
  return [
    handler(staffVersionOf(operations.listPaymentsOfMerchants.command), async ({ context, payload }) => {
      const { merchantId } = context.merchant;
      const filter = { ...payload.filter, merchantId };
      const own = { ...payload, filter, livemode: isLive(merchantId), unresolved: undefined };
      const reply = await listForOperator(deps, own);
      if (!("result" in reply)) return reply;
      const { items, ...rest } = reply.result;
      const shown = items.map(({ item, ...place }) => ({ ...place, item: forMerchant(item) }));
      return { ...reply, result: { ...rest, items: shown } };
    }),
    handler(staffVersionOf(operations.getFigures.command), async ({ context: { merchant } }) => {
      const { merchantId } = merchant;
      const reply = await figuresOf(deps.lists, { merchantId, livemode: isLive(merchantId) });
      if (!("result" in reply)) return reply;
      // A merchant's staff do not know the accounts of the installation.
      const accounts = reply.result.accounts.map(({ accountId: _id, name: _name, ...answered }) => answered);
      return { ...reply, result: { ...reply.result, accounts } };
    }),
    handler(staffVersionOf(operations.listChargebacks.command), async ({ context, payload }) => {
      const reply = await listCases(deps, { ...payload, merchantId: context.merchant.merchantId });
      if (!("result" in reply)) return reply;
      const items = reply.result.items.map(withoutOperators);
      return { ...reply, result: { ...reply.result, items } };
    }),
    handler(staffVersionOf(operations.getOperatorPayment.command), ({ context, payload }) =>
      describeOwn(deps, context, payload.paymentId),
    ),
    handler(staffVersionOf(readAuditLog.payments), async ({ context, payload }) => {
      const entries = await readAuditEntriesBefore(deps.db, "payments", payload);
      const isOwn = ({ detail }: (typeof entries)[number]) => detail["staffOf"] === context.operator.staffOf;
      return { outcome: "done", result: { entries: entries.filter(isOwn) } };
    }),
    handler(staffVersionOf(operations.getCheckout.command), ({ context, payload }) =>
      readCheckout(deps, context.merchant.merchantId, payload.checkoutId),
    ),
    handler(staffVersionOf(operations.listCheckouts.command), ({ context, payload }) =>
      listCheckouts(deps, context.merchant.merchantId, payload),
    ),
    handler(staffVersionOf(operations.getPaymentLink.command), ({ context, payload }) =>
      showPaymentLink(deps, context.merchant.merchantId, payload.paymentLinkId),
    ),
    handler(staffVersionOf(operations.listPaymentLinks.command), ({ context, payload }) =>
      showPaymentLinks(deps, context.merchant.merchantId, payload),
    ),
  ];
}

function changingHandlers(deps: Deps) {
  return [
    handler(staffVersionOf(operations.capture.command), (message) =>
      deps.operations.capture(message, (trx, payment) =>
        audit(trx, message.context, "payment.capture_requested", payment, {
          ...(message.payload.amount !== undefined && { amount: message.payload.amount }),
        }),
      ),
    ),
    handler(staffVersionOf(operations.cancel.command), (message) =>
      deps.operations.cancel(message, (trx, payment) =>
        audit(trx, message.context, "payment.cancel_requested", payment, {
          ...(message.payload.reason !== undefined && { reason: message.payload.reason }),
        }),
      ),
    ),
    handler(staffVersionOf(operations.createPaymentLink.command), (message) =>
      makePaymentLink(deps, message, (trx) =>
        auditLink(trx, message.context, "payment_link.created", message.payload.paymentLinkId),
      ),
    ),
    handler(staffVersionOf(operations.disablePaymentLink.command), (message) =>
      endPaymentLink(deps, message, (trx) =>
        auditLink(trx, message.context, "payment_link.disabled", message.payload.paymentLinkId),
      ),
    ),
  ];
}

/** Another merchant's payment is as unknown as one that does not exist. */
async function describeOwn(
  deps: Deps,
  { merchant }: StaffContext,
  paymentId: string,
): Promise<CommandReply<OperatorPaymentDetail>> {
  const reply = await describe(deps, paymentId);
  if (!("result" in reply)) return reply;
  const { merchantId, livemode } = reply.result;
  if (idInMode(merchantId, livemode) !== merchant.merchantId) return NOT_FOUND;
  return { ...reply, result: forMerchant(reply.result) };
}

const NOT_FOUND = { outcome: "problem", code: "payment_not_found" } as const;

/** Leaves out what operators have said among themselves. */
function forMerchant<Payment extends OperatorPayment>(payment: Payment): Payment {
  const {
    credentialIssuedBy: _issuer,
    credentialIssuedByStaff: _kind,
    resolution: _resolution,
    ...shown
  } = payment;
  return shown as Payment;
}

/** Leaves out what operators have said about a chargeback, and who. */
function withoutOperators(chargeback: Chargeback): Chargeback {
  const {
    openedBy: _opener,
    decidedBy: _decider,
    outcomeReason: _reason,
    proposal: _proposal,
    ...shown
  } = chargeback;
  return shown;
}

async function auditLink(
  trx: Transaction<PaymentsDatabase>,
  { operator, requestId, merchant }: StaffContext,
  action: string,
  subject: string,
): Promise<void> {
  const detail = { merchantId: merchant.merchantId, requestId, ...staffOf(operator) };
  await appendAudit(trx, { actor: operator.name, action, subject, detail });
}
