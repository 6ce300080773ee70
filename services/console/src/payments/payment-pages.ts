import {
  chargedAmount,
  operations,
  type OperatorPaymentLife,
  type PaymentSettlement,
} from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { csvPage } from "../ui/csv-page.ts";
import { actOn } from "../ui/act-on.ts";
import { renderActions } from "../ui/action-forms.ts";
import { needsOf } from "../ui/field-faults.ts";
import { amountDecimal, amountText, cardText, statusBadge } from "../ui/format.ts";
import { offersOfPayment, refundableOf, type Action, type Offer } from "../ui/offers.ts";
import type { Notice, Page, PageAnswer, PageContext, Reader } from "../ui/page-context.ts";
import { capturableField, capture, reviewCapture } from "./capture-pages.ts";
import { moneyBar } from "./money-bar.ts";
import { nextStep } from "./next-step.ts";
import { paymentFilter, paymentList } from "./payment-list.ts";
import { readList } from "../ui/read-list.ts";
import { readAmount } from "../ui/read-number.ts";
import { statementIn } from "../refunds/refund-pages.ts";
import { bankLines } from "../settlement/bank-lines.ts";
import { eventsOfSettlement } from "../settlement/settlement-events.ts";
import { SETTLEMENT_TEXTS } from "../settlement/settlement-texts.ts";
import { facts } from "../ui/table.ts";
import { doneNotice } from "../ui/take-action.ts";
import { eventsOfPayment, renderTimeline } from "../ui/timeline.ts";
import { unlessAway } from "../ui/unless-away.ts";
import { badges, disputesOf, factsOfPayment, movementsOf, refundsOf } from "./payment-facts.ts";

/** The list of payments, and each payment on one timeline with its actions. */
export const paymentPages: Page[] = [
  paymentList,
  csvPage("/payments.csv", operations.listPaymentsOfMerchants, {
    audience: "everybody",
    filter: paymentFilter,
  }),
  {
    audience: "everybody",
    method: "GET",
    path: "/payments/:paymentId",
    answer: (context) => answerPayment(context),
  },
  {
    audience: "staff",
    method: "POST",
    path: "/payments/:paymentId/capture",
    answer: (context) => capture(context, answerPayment),
  },
  {
    audience: "staff",
    method: "POST",
    path: "/payments/:paymentId/review-capture",
    answer: (context) => reviewCapture(context, answerPayment),
  },
  {
    audience: "staff",
    method: "POST",
    path: "/payments/:paymentId/cancel",
    answer: (context) => act(context, { action: "cancel", endpoint: operations.cancel, body: {} }),
  },
  {
    method: "POST",
    path: "/payments/:paymentId/inquire",
    answer: (context) =>
      act(context, { action: "inquire", endpoint: operations.inquirePayment, body: undefined }),
  },
  {
    method: "POST",
    path: "/payments/:paymentId/reverse",
    answer: (context) =>
      act(context, { action: "reverse", endpoint: operations.reversePayment, body: undefined }),
  },
  {
    method: "POST",
    path: "/payments/:paymentId/resolve",
    answer: (context) =>
      act(context, { action: "resolve", endpoint: operations.resolvePayment, ...statementIn(context) }),
  },
  { audience: "everybody", method: "POST", path: "/payments/:paymentId/refund", answer: requestRefund },
];

async function answerPayment(context: PageContext, notice?: Notice, status?: number): Promise<PageAnswer> {
  const { reader, parameters } = context;
  const { texts } = reader;
  const paymentId = parameters["paymentId"]!;
  const [life, chargebacks, settlement, accounts] = await Promise.all([
    context.api.read(operations.getOperatorPayment, { path: { paymentId } }),
    readList(context, context.api.read(operations.listChargebacks, { query: { paymentId, limit: "200" } })),
    readSettlement(context, paymentId),
    context.session.staff ? { items: [] } : context.api.read(operations.listAcquirerAccounts, {}),
  ]);
  const { payment } = life;
  const account = accounts.items.find(({ accountId }) => accountId === life.accountId)?.name;
  const content = html`${moneyBar(reader, payment, life.refunds[0]?.ofPayment)}
  ${badges(reader, life, chargebacks.items)}
  ${nextStep(context, { life, chargebacks: chargebacks.items, settlement })}
  ${facts([...factsOfPayment(reader, life, account), ...refundsOf(reader, life), ...disputesOf(context, chargebacks.items)])}
  ${proposalOf(reader, life)}
  ${renderActions(context, offersFor(context, life), {
    path: `/payments/${payment.paymentId}`,
    amount: amountText(reader, chargedAmount(payment), payment.currency),
    about: texts.cardAndOrder(cardText(payment.pan), payment.orderId, life.merchantName ?? life.merchantId),
    refundable: {
      amount: amountDecimal(refundableOf(payment), payment.currency),
      currency: payment.currency,
    },
    capturable: capturableField(payment),
  })}
  ${settlement && bankLines(reader, settlement, movementsOf(reader, life))}
  ${renderTimeline(reader, [
    ...eventsOfPayment(context, life, chargebacks.items, accounts.items),
    ...(settlement ? eventsOfSettlement(reader, settlement) : []),
  ])}
  ${settlement === undefined && html`<p class="quiet">${SETTLEMENT_TEXTS[reader.language].away}</p>`}`;
  return {
    kind: "page",
    title: `${texts.payment} ${payment.orderId}`,
    content,
    isTest: !payment.livemode,
    notice: notice ?? doneNotice(context),
    ...(status !== undefined && { status }),
  };
}

/** The outcome that waits for a second person, with who proposed it, and who had proposed another one before. */
function proposalOf(
  reader: Reader,
  { actions, resolution }: Pick<OperatorPaymentLife, "actions" | "resolution">,
): Html {
  if (!resolution) return html``;
  const { texts } = reader;
  const { evidence, outcome, proposedAt, proposedBy } = resolution;
  const before = actions.find(
    ({ action, actor, at }) =>
      action === "payment.resolution_proposed" && actor !== proposedBy && at < proposedAt,
  );
  return html`<p>
    ${texts.proposed(proposedBy)} ${texts.outcome}: ${statusBadge(reader, outcome)} ${texts.evidence}:
    ${evidence} ${before && texts.proposedBefore(before.actor)}
  </p>`;
}

/** The content of the banks' files is for operators alone: a merchant's part of it is in its statements. */
async function readSettlement(
  { api, session }: PageContext,
  paymentId: string,
): Promise<PaymentSettlement | undefined> {
  if (session.staff) return { lines: [], differences: [], awaited: [], more: false };
  return await unlessAway(api.read(operations.getPaymentSettlement, { path: { paymentId } }));
}

/**
 * The actions and the reasons against them. Refused actions that only a stuck payment needs are left out for
 * all other payments.
 */
function offersFor({ reader, session }: PageContext, life: OperatorPaymentLife): Offer[] {
  return offersOfPayment(life, session, reader.texts).filter(
    ({ action, why }) => why === undefined || life.unresolved || LOOKED_FOR.has(action),
  );
}

const LOOKED_FOR: ReadonlySet<Action> = new Set(["refund", "capture", "cancel"]);

async function requestRefund(context: PageContext): Promise<PageAnswer> {
  const { api, form, parameters, reader } = context;
  const reason = form.get("reason")?.trim() ?? "";
  const { payment } = await api.read(operations.getOperatorPayment, {
    path: { paymentId: parameters["paymentId"]! },
  });
  const amount = readAmount(reader, form.get("amount") ?? "", payment.currency);
  const needs = needsOf({ amount: amount.fault, reason: reason === "" && reader.texts.needAnyReason });
  return await act(context, {
    action: "refund",
    endpoint: operations.requestRefundForMerchant,
    body: { amount: Number(amount.value), currency: payment.currency, reason },
    needs,
  });
}

const act = actOn({ list: "/payments", id: "paymentId" }, answerPayment);
