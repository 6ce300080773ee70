import type {
  AcquirerAccount,
  Chargeback,
  OperatorPaymentLife,
  OperatorRefund,
  OperatorRefundDetail,
} from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { actionText } from "./action-texts.ts";
import { causeText } from "./cause-texts.ts";
import { amountText, statusWord, timeElement } from "./format.ts";
import type { PageContext, Reader } from "./page-context.ts";
import { details, table } from "./table.ts";

/** An event of a payment, from any service. */
export type TimelineEvent = {
  at: string;
  what: Html | string;
  who: string;
  detail?: Html | string | undefined;
};

/** Everything in one order, oldest first. */
export function renderTimeline(reader: Reader, events: readonly TimelineEvent[]): Html {
  const { texts } = reader;
  return table(
    texts.timeline,
    [
      { heading: texts.time, cell: ({ at }: TimelineEvent) => timeElement(reader, at) },
      { heading: texts.what, cell: ({ what }) => what },
      { heading: texts.who, cell: ({ who }) => who },
      { heading: texts.detail, cell: ({ detail }) => detail ?? "" },
    ],
    { rows: events.toSorted((one, other) => one.at.localeCompare(other.at)), empty: texts.noRows },
  );
}

export function eventsOfRefund(reader: Reader, refund: OperatorRefundDetail): TimelineEvent[] {
  const { texts } = reader;
  return [
    ...refund.history.map(({ from, to, cause, at }) => ({
      at,
      what: `${statusWord(reader, from)} → ${statusWord(reader, to)}`,
      who: texts.system,
      // Before it is sent, people approve it, and not the bank.
      detail: causeText(reader, from === "PENDING_APPROVAL" && cause === "approved" ? "agreed" : cause),
    })),
    ...decisionsOf(reader, refund),
  ];
}

/** The payment with its captures, refunds, chargebacks, webhooks, and operators' actions. */
export function eventsOfPayment(
  { reader, session }: PageContext,
  life: OperatorPaymentLife,
  chargebacks: readonly Chargeback[],
  accounts: readonly Pick<AcquirerAccount, "accountId" | "name">[],
): TimelineEvent[] {
  return [
    ...life.history.map(({ from, to, cause, at }) => ({
      at,
      what:
        from === undefined
          ? statusWord(reader, to)
          : `${statusWord(reader, from)} → ${statusWord(reader, to)}`,
      who: reader.texts.system,
      detail: causeText(reader, cause),
    })),
    ...operationEvents(reader, life),
    ...bankEvents(reader, life, accounts),
    ...life.refunds.flatMap((refund) => refundEvents(reader, refund)),
    ...chargebacks.flatMap((chargeback) => chargebackEvents(reader, chargeback, session.staff !== undefined)),
    ...deliveryEvents(reader, life),
    ...life.actions.map(({ at, actor, action, detail }) => ({
      at,
      what: actionText(reader, action),
      who: actor,
      detail: details(reader, detail),
    })),
  ];
}

function operationEvents(
  reader: Reader,
  { operations = [], payment: { currency } }: OperatorPaymentLife,
): TimelineEvent[] {
  const { texts } = reader;
  return operations.flatMap((operation) => {
    const name = `${statusWord(reader, operation.type)} ${amountText(reader, operation.amount, currency)}`;
    const asked: TimelineEvent = {
      at: operation.requestedAt,
      what: `${name}: ${texts.operationAsked}`,
      who: texts.merchant,
      detail: operation.reason,
    };
    if (operation.endedAt === undefined) return [asked];
    const ended: TimelineEvent = {
      at: operation.endedAt,
      what: `${name}: ${statusWord(reader, operation.status)}`,
      who: texts.bank,
      detail: operation.resultMessage ?? (operation.resultCode && causeText(reader, operation.resultCode)),
    };
    return [asked, ended];
  });
}

/** Each call to the bank, and its answer; with the account, where the payment was sent to several. */
function bankEvents(
  reader: Reader,
  { bankCalls = [], payment: { currency } }: OperatorPaymentLife,
  accounts: readonly Pick<AcquirerAccount, "accountId" | "name">[],
): TimelineEvent[] {
  const { texts } = reader;
  const isMoved = new Set(bankCalls.map(({ accountId }) => accountId)).size > 1;
  return bankCalls.flatMap((call) => {
    const account = isMoved && accounts.find(({ accountId }) => accountId === call.accountId)?.name;
    const at = account ? ` (${account})` : "";
    const name = `${statusWord(reader, call.type)} ${amountText(reader, call.amount, currency)}${at}`;
    const sent: TimelineEvent = {
      at: call.sentAt,
      what: `${texts.bankCalled}: ${name}`,
      who: texts.system,
      detail: html`<code>${call.reference}</code>`,
    };
    if (call.answeredAt === undefined || call.outcome === undefined) return [sent];
    const answered: TimelineEvent = {
      at: call.answeredAt,
      what: `${texts.bankAnswered}: ${name}, ${statusWord(reader, call.outcome)}`,
      who: texts.bank,
      detail: [call.resultCode, call.resultMessage].filter((text) => text !== undefined).join(" "),
    };
    return [sent, answered];
  });
}

function refundEvents(reader: Reader, refund: OperatorRefund): TimelineEvent[] {
  const { texts } = reader;
  const name = html`<a href="/refunds/${refund.refundId}"
    >${amountText(reader, refund.amount, refund.currency)}</a
  >`;
  const requested: TimelineEvent = {
    at: refund.paymentDate,
    what: html`${texts.requested}: ${name}`,
    who: refund.requestedBy ?? texts.merchant,
    detail: refund.requestReason,
  };
  const hasEnded = ["SUCCESS", "FAILED", "REJECTED"].includes(refund.status);
  if (!hasEnded || refund.statusDate === undefined) return [requested, ...decisionsOf(reader, refund)];
  const ended: TimelineEvent = {
    at: refund.statusDate,
    what: html`${texts.refundEnded}: ${name}, ${statusWord(reader, refund.status)}`,
    who: refund.rejectedBy ?? texts.system,
    detail: refund.rejectionReason ?? refund.resultMessage,
  };
  return [requested, ...decisionsOf(reader, refund), ended];
}

function decisionsOf({ texts }: Reader, { approvedBy }: OperatorRefund): TimelineEvent[] {
  return approvedBy.map(({ operator, note, at }) => ({
    at,
    what: texts.approvedEvent,
    who: operator,
    detail: note,
  }));
}

/** @param isStaff true for people who have no page of the dispute. */
function chargebackEvents(reader: Reader, chargeback: Chargeback, isStaff: boolean): TimelineEvent[] {
  const { texts } = reader;
  const { kind, openedBy, openedAt, endedAt, reasonCode, respondBy, bankReference, proposal } = chargeback;
  const kindName = kind === "REFUND" ? texts.foreignRefund : texts.chargeback;
  const amount = amountText(reader, chargeback.amount, chargeback.currency);
  const about = html`${kindName}: ${amount}`;
  const name = isStaff ? about : html`<a href="/disputes/${chargeback.chargebackId}">${about}</a>`;
  const proposed =
    proposal &&
    `${proposal.proposedBy} ${texts.chargebackProposed}: ${statusWord(reader, proposal.outcome)}, ${proposal.reason}`;
  const said = [reasonCode, bankReference, proposed].filter((text) => text !== undefined).join("; ");
  const opened: TimelineEvent = {
    at: openedAt,
    what: html`${name}, ${statusWord(reader, "OPEN")}`,
    who: openedBy ?? texts.bank,
    detail: html`${said}${
      endedAt === undefined && respondBy !== undefined
        ? html` ${texts.dueBy} ${timeElement(reader, respondBy)}`
        : ""
    }`,
  };
  if (endedAt === undefined) return [opened];
  const ended: TimelineEvent = {
    at: endedAt,
    what: html`${name}, ${statusWord(reader, chargeback.status)}`,
    who: chargeback.decidedBy ?? texts.bank,
    detail: chargeback.outcomeReason,
  };
  return [opened, ended];
}

/** One line for a webhook, with its outcome. */
function deliveryEvents(reader: Reader, { deliveries }: OperatorPaymentLife): TimelineEvent[] {
  const { texts } = reader;
  return deliveries.map((delivery) => {
    const { eventId, eventType, paymentStatus, occurredAt, resolvedAt, status, attemptCount } = delivery;
    const reported = paymentStatus === undefined ? "" : statusWord(reader, paymentStatus);
    return {
      at: occurredAt,
      what: html`${texts.webhookMade}:
        <a href="/deliveries/${eventId}">${eventType}</a>
        ${reported}${resolvedAt !== undefined && `, ${statusWord(reader, status)}`}`,
      who: texts.system,
      detail: resolvedAt === undefined ? undefined : `${texts.sent}: ${attemptCount}`,
    };
  });
}
