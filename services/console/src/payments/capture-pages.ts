import { operations, type OperatorPaymentLife } from "@holdfast/contracts";
import { html } from "@holdfast/html";
import { signInAgain } from "../ui/action-forms.ts";
import { needsOf } from "../ui/field-faults.ts";
import { actionForm } from "../ui/form-fields.ts";
import { amountDecimal, amountText, cardText } from "../ui/format.ts";
import { offersOfPayment } from "../ui/offers.ts";
import type { Notice, PageAnswer, PageContext } from "../ui/page-context.ts";
import { faultsNotice } from "../ui/problem-text.ts";
import { decimalField, readAmount } from "../ui/read-number.ts";
import { facts } from "../ui/table.ts";
import { takeAction } from "../ui/take-action.ts";
import { PAYMENT_TEXTS } from "./payment-texts.ts";

type RenderAgain = (context: PageContext, notice?: Notice, status?: number) => Promise<PageAnswer>;

/** The largest amount of a capture: the authorized amount minus the released part. */
export function capturableOf({ amount, refundableAmount }: OperatorPaymentLife["payment"]): number {
  return refundableAmount ?? amount;
}

/** Shows the amount that was entered, and asks once; nothing is captured yet. */
export async function reviewCapture(context: PageContext, again: RenderAgain): Promise<PageAnswer> {
  const { api, form, reader, session } = context;
  const { texts } = reader;
  const own = PAYMENT_TEXTS[reader.language];
  const path = { paymentId: context.parameters["paymentId"]! };
  const life = await api.read(operations.getOperatorPayment, { path });
  const { payment } = life;
  const { value, fault } = readAmount(reader, form.get("captureAmount") ?? "", payment.currency);
  const offer = offersOfPayment(life, session, texts).find(({ action }) => action === "capture");
  const bar = offer ? offer.why : texts.notYours;
  if (bar !== undefined) {
    const notice = { role: "alert", title: texts.notDone, text: bar } as const;
    return await again(context, notice, fault === undefined ? 409 : 400);
  }
  if (fault !== undefined)
    return await again(context, faultsNotice(context, needsOf({ amount: fault })), 400);
  const text = (amount: number) => amountText(reader, amount, payment.currency);
  if (Number(value) > capturableOf(payment)) {
    const message = own.captureAtMost(text(capturableOf(payment)));
    return await again(context, faultsNotice(context, needsOf({ amount: message })), 400);
  }
  const page = `/payments/${payment.paymentId}`;
  // The amount comes back after the sign-in.
  if (!context.mayDecide) await context.keepForm();
  const content = html`<p>${own.captureOnce}</p>
    ${
      context.mayDecide
        ? actionForm(context, {
            action: `${page}/capture`,
            button: texts.captureButton,
            look: "primary",
            values: { captureAmount: decimalField(reader, value) },
          })
        : signInAgain(context, page)
    }
    <p><a href="${page}">${own.backToPayment}</a></p>
    ${facts([
      [texts.order, payment.orderId],
      [texts.card, cardText(payment.pan)],
      [texts.cardHolder, payment.cardHolderName],
    ])}`;
  const title = own.captureQuestion(text(Number(value)), text(capturableOf(payment)));
  return { kind: "page", title, content, isTest: !payment.livemode };
}

/** Captures the reviewed amount; without one, all of it. */
export async function capture(context: PageContext, again: RenderAgain): Promise<PageAnswer> {
  const { api, form, reader } = context;
  const path = { paymentId: context.parameters["paymentId"]! };
  const sent = form.get("captureAmount");
  const { payment } = await api.read(operations.getOperatorPayment, { path });
  const amount = sent === null ? undefined : readAmount(reader, sent, payment.currency);
  return await takeAction(
    context,
    {
      action: "capture",
      endpoint: operations.capture,
      path,
      page: `/payments/${encodeURIComponent(path.paymentId)}`,
      body: amount ? { amount: Number(amount.value), currency: payment.currency } : {},
      needs: needsOf({ amount: amount?.fault }),
    },
    again,
  );
}

/** The field's first value. */
export function capturableField(payment: OperatorPaymentLife["payment"]) {
  return { amount: amountDecimal(capturableOf(payment), payment.currency), currency: payment.currency };
}
