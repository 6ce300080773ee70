import {
  chargedAmount,
  CHARGEBACK_OUTCOMES,
  EVIDENCE_FILES_MAX,
  operations,
  type ChargebackDetail,
  type OperatorPaymentLife,
} from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { signInAgain } from "../ui/action-forms.ts";
import { faultAt } from "../ui/field-faults.ts";
import { actionForm, fileForm, selectField, textField } from "../ui/form-fields.ts";
import { amountText, cardText, statusBadge, timeElement } from "../ui/format.ts";
import { instantField } from "../ui/instant-field.ts";
import { roleBar } from "../ui/offers.ts";
import type { Notice, PageAnswer, PageContext } from "../ui/page-context.ts";
import { facts, table } from "../ui/table.ts";
import { doneNotice } from "../ui/take-action.ts";
import { deadlineOf } from "./deadline-badge.ts";
import { DISPUTE_TEXTS } from "./dispute-texts.ts";

/** One dispute: its facts, its evidence, and its end. */
export async function answerDispute(
  context: PageContext,
  notice?: Notice,
  status?: number,
): Promise<PageAnswer> {
  const { api, parameters, reader } = context;
  const texts = DISPUTE_TEXTS[reader.language];
  const chargebackId = parameters["chargebackId"]!;
  const dispute = await api.read(operations.getChargeback, { path: { chargebackId } });
  const life = await api.read(operations.getOperatorPayment, { path: { paymentId: dispute.paymentId } });
  const { proposal } = dispute;
  const content = html`${facts(factsOf(context, dispute, life))}
  ${
    proposal &&
    html`<p>${texts.proposed(proposal.proposedBy, texts.outcomes[proposal.outcome])} ${proposal.reason}</p>`
  }
  ${evidenceTable(context, dispute)} ${actions(context, dispute, life)}`;
  return {
    kind: "page",
    title: `${texts.dispute} ${dispute.orderId}`,
    content,
    isTest: !dispute.livemode,
    notice: notice ?? doneNotice(context),
    ...(status !== undefined && { status }),
  };
}

function factsOf(context: PageContext, dispute: ChargebackDetail, life: OperatorPaymentLife) {
  const { reader } = context;
  const { paymentId, merchantId, currency, endedAt, excessAmount, reversedAmount } = dispute;
  const texts = DISPUTE_TEXTS[reader.language];
  const { payment } = life;
  const ofPayment = (amount: number) => amountText(reader, amount, payment.currency);
  return [
    [reader.texts.amount, amountText(reader, dispute.amount, currency)],
    [reader.texts.status, statusBadge(reader, dispute.status)],
    [texts.deadline, deadlineOf(context, dispute)],
    [texts.kind, dispute.kind === "REFUND" ? reader.texts.foreignRefund : reader.texts.chargeback],
    [texts.reasonCode, dispute.reasonCode],
    [texts.bankReference, dispute.bankReference],
    [
      reader.texts.payment,
      html`<a href="/payments/${paymentId}">${payment.orderId}</a>, ${ofPayment(chargedAmount(payment))}
        ${statusBadge(reader, payment.status)}`,
    ],
    [reader.texts.card, [payment.cardScheme, cardText(payment.pan)].filter(Boolean).join(" ")],
    [reader.texts.merchant, html`<a href="/merchants/${merchantId}">${life.merchantName ?? merchantId}</a>`],
    [texts.counted, ofPayment(dispute.countedAmount)],
    [texts.excess, excessAmount > 0 ? `${ofPayment(excessAmount)}. ${texts.excessWhy}` : undefined],
    [texts.reversed, reversedAmount > 0 ? amountText(reader, reversedAmount, currency) : undefined],
    [texts.opened, timeElement(reader, dispute.openedAt)],
    [texts.openedBy, dispute.openedBy ?? texts.byFile],
    [texts.reported, texts.isReported(dispute.reported)],
    [texts.ended, endedAt === undefined ? undefined : timeElement(reader, endedAt)],
    [texts.decidedBy, endedAt === undefined ? undefined : (dispute.decidedBy ?? texts.byFile)],
    [reader.texts.reason, dispute.outcomeReason],
    ["Id", html`<code>${dispute.chargebackId}</code>`],
  ] as const;
}

function evidenceTable({ reader, session }: PageContext, { chargebackId, evidence }: ChargebackDetail): Html {
  const mayRead = roleBar(session, operations.getChargebackEvidence.role, reader.texts) === undefined;
  const texts = DISPUTE_TEXTS[reader.language];
  return table<ChargebackDetail["evidence"][number]>(
    reader.texts.evidence,
    [
      { heading: texts.added, cell: ({ addedAt }) => timeElement(reader, addedAt) },
      {
        heading: texts.file,
        isWide: true,
        cell: ({ evidenceId, fileName }) =>
          mayRead
            ? html`<a href="/disputes/${chargebackId}/evidence/${evidenceId}">${fileName}</a>`
            : fileName,
      },
      { heading: texts.size, isNumber: true, cell: ({ bytes }) => `${Math.ceil(bytes / 1_024)} KiB` },
      { heading: texts.addedBy, cell: ({ addedBy }) => addedBy },
      {
        heading: texts.hash,
        cell: ({ sha256 }) => html`<code title="${sha256}">${sha256.slice(0, 12)}…</code>`,
      },
    ],
    { rows: evidence, empty: texts.noEvidence },
  );
}

/** The forms, or the reason why there are none. */
function actions(context: PageContext, dispute: ChargebackDetail, life: OperatorPaymentLife): Html {
  const { reader, session } = context;
  const texts = DISPUTE_TEXTS[reader.language];
  const why = dispute.status === "OPEN" ? roleBar(session, "operations", reader.texts) : texts.whyEnded;
  if (why !== undefined) return html`<p class="quiet">${texts.decide}: ${why}</p>`;
  return html`<h2>${reader.texts.now}</h2>
    ${evidenceForm(context, dispute)} ${changeForm(context, dispute)} ${outcomeForm(context, dispute, life)}`;
}

function evidenceForm(context: PageContext, { chargebackId, evidence }: ChargebackDetail): Html {
  const texts = DISPUTE_TEXTS[context.reader.language];
  if (evidence.length >= EVIDENCE_FILES_MAX)
    return html`<p class="quiet">${texts.addEvidence}: ${texts.full}</p>`;
  return fileForm(context, {
    action: `/disputes/${chargebackId}/evidence`,
    label: texts.addEvidence,
    hint: texts.fileHint,
    button: texts.addButton,
  });
}

/** The fields of the bank's announcement of a case; all may be empty. */
function announcedFields(
  context: PageContext,
  known: Pick<ChargebackDetail, "reasonCode" | "bankReference" | "respondBy">,
): Html {
  const { form, reader } = context;
  const texts = DISPUTE_TEXTS[reader.language];
  const field = (name: "reasonCode" | "bankReference", max: number) =>
    textField({
      name,
      label: texts[name],
      value: form.get(name) ?? known[name],
      max,
      fault: faultAt(context, name),
    });
  return html`${field("reasonCode", 64)} ${field("bankReference", 128)}
  ${instantField(
    "respondBy",
    texts.respondBy,
    form.get("respondBy") ?? known.respondBy,
    faultAt(context, "respondBy"),
  )}`;
}

function changeForm(context: PageContext, dispute: ChargebackDetail): Html {
  const { form, reader } = context;
  const texts = DISPUTE_TEXTS[reader.language];
  return html`<details ${form.has("respondBy") && html`open`}>
    <summary>${texts.change}</summary>
    ${actionForm(context, {
      action: `/disputes/${dispute.chargebackId}/change`,
      button: texts.changeButton,
      fields: announcedFields(context, dispute),
    })}
  </details>`;
}

function outcomeForm(
  context: PageContext,
  { chargebackId, amount, currency, proposal, merchantId }: ChargebackDetail,
  { payment, merchantName }: OperatorPaymentLife,
): Html {
  const { form, reader, session } = context;
  const texts = DISPUTE_TEXTS[reader.language];
  const path = `/disputes/${chargebackId}`;
  if (proposal?.proposedBy === session.subject)
    return html`<p class="quiet">${texts.decide}: ${texts.whyProposed}</p>`;
  // A form that was refused for an old sign-in keeps its fields.
  if (!context.mayDecide && !form.has("outcome")) return signInAgain(context, path);
  const choices = CHARGEBACK_OUTCOMES.map((value) => ({ value, text: texts.outcomes[value] }));
  const about = reader.texts.cardAndOrder(cardText(payment.pan), payment.orderId, merchantName ?? merchantId);
  return actionForm(context, {
    action: `${path}/outcome`,
    button: texts.decide,
    question: reader.texts.confirmAct(
      texts.decide,
      `{outcome}, ${amountText(reader, amount, currency)}, ${about}`,
    ),
    fields: html`${selectField({
      name: "outcome",
      label: reader.texts.outcome,
      choices: [{ value: "", text: texts.chooseOutcome }, ...choices],
      chosen: form.get("outcome") ?? proposal?.outcome,
      fault: faultAt(context, "outcome"),
    })}
    ${textField({
      name: "reason",
      label: reader.texts.reason,
      value: form.get("reason") ?? "",
      max: 1_000,
      fault: faultAt(context, "reason"),
    })}`,
  });
}
