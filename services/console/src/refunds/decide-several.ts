import { operations, type Problem } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { OperatorApiUnavailableError } from "../api/operator-api.ts";
import { signInAgain } from "../ui/action-forms.ts";
import { faultOfSent, needsOf } from "../ui/field-faults.ts";
import { hidden, textField } from "../ui/form-fields.ts";
import { amountText } from "../ui/format.ts";
import {
  isTestMode,
  type Notice,
  type PageAnswer,
  type PageContext,
  type Reader,
} from "../ui/page-context.ts";
import { offersOfRefund } from "../ui/offers.ts";
import { faultsNotice, problemText, refusalNotice } from "../ui/problem-text.ts";
import { table } from "../ui/table.ts";
import { signInNotice } from "../ui/take-action.ts";
import { decidingColumns, type ListedRefund } from "./refund-columns.ts";
import { answerList, isDecidable, readRefunds } from "./refund-list.ts";
import { REFUND_TEXTS } from "./refund-texts.ts";

/** Refunds of one page of the list that were selected: shown with their sum, and then decided by one confirmation. */
type Selection = { refunds: ListedRefund[]; gone: number };

async function readSelection(context: PageContext): Promise<Selection> {
  const chosen = new Set(context.form.getAll("refundId"));
  const { items } = await readRefunds(context);
  const refunds = items.filter((refund) => chosen.has(refund.refundId) && isDecidable(context, refund));
  return { refunds, gone: chosen.size - refunds.length };
}

/** Shows what is selected, and asks. */
export async function review(context: PageContext, notice?: Notice, status = 200): Promise<PageAnswer> {
  const { query, reader } = context;
  const { texts } = reader;
  const own = REFUND_TEXTS[reader.language];
  const { refunds, gone } = await readSelection(context);
  const none = { role: "alert", title: texts.notDone, text: own.selectHint } as const;
  if (refunds.length === 0) return await answerList(context, notice ?? none, notice ? status : 400);
  const missing = { role: "alert", title: own.notDecidable(gone) } as const;
  // The selection comes back after the sign-in.
  if (!context.mayDecide) await context.keepForm();
  const title = own.decideTitle(refunds.length, sumText(reader, refunds));
  const content = html`${context.mayDecide ? forms(context, refunds) : signInAgain(context, "/refunds")}
    <p><a href="/refunds?${query.toString()}">${own.backToQueue}</a></p>
    <div class="queue">${table(own.selected, decidingColumns(reader), { rows: refunds, empty: "" })}</div>`;
  return {
    kind: "page",
    title,
    content,
    status,
    isTest: isTestMode(query),
    notice: notice ?? (gone > 0 ? missing : undefined),
  };
}

function forms(context: PageContext, refunds: readonly ListedRefund[]): Html {
  const { form, query } = context;
  const { texts } = context.reader;
  const own = REFUND_TEXTS[context.reader.language];
  const reason = form.get("reason");
  const fault = faultOfSent(context, "reason");
  const approvable = refunds.filter((refund) => mayApprove(context, refund));
  return html`${
      approvable.length > 0 &&
      html`<form class="act" method="post" action="/refunds/approve-selected?${query.toString()}">
        ${hidden(context)} ${fieldsOf(approvable)}
        <button class="primary">
          ${own.approveAll(approvable.length, sumText(context.reader, approvable))}
        </button>
      </form>`
    }
    <details ${reason !== null && html`open`}>
      <summary>${own.rejectAll(refunds.length)}</summary>
      <form class="act" method="post" action="/refunds/reject-selected?${query.toString()}">
        ${hidden(context)} ${fieldsOf(refunds)}
        ${textField({ name: "reason", label: texts.reason, max: 200, value: reason ?? "", fault })}
        <button class="danger">${own.rejectAll(refunds.length)}</button>
      </form>
    </details>`;
}

/** The amounts that the person has seen: another one is refused. */
function fieldsOf(refunds: readonly ListedRefund[]): Html {
  const field = (name: string, value: string) =>
    html`<input type="hidden" name="${name}" value="${value}" />`;
  return html`${refunds.map(
    ({ refundId, orderId, amount, currency }) =>
      html`${field("refundId", refundId)}${field("orderId", orderId)}${field("amount", `${amount} ${currency}`)}`,
  )}`;
}

function mayApprove({ session, reader }: PageContext, refund: ListedRefund): boolean {
  return offersOfRefund(refund, session, reader.texts).some(
    ({ action, why }) => action === "approve" && why === undefined,
  );
}

/** The sum in each currency. */
function sumText(reader: Reader, refunds: readonly ListedRefund[]): string {
  return [...Map.groupBy(refunds, ({ currency }) => currency)]
    .map(([currency, of]) => {
      const minor = of.reduce((sum, { amount }) => sum + Math.round(amount * 10_000), 0);
      return amountText(reader, minor / 10_000, currency);
    })
    .join(" + ");
}

export async function approveSelected(context: PageContext): Promise<PageAnswer> {
  return await decideEach(context, "approve", async ({ refundId, amount, currency }, key) => {
    const body = { amount: Number(amount), currency };
    return await context.api.change(operations.approveRefund, { path: { refundId }, body, key });
  });
}

export async function rejectSelected(context: PageContext): Promise<PageAnswer> {
  const { form, reader } = context;
  const reason = form.get("reason")?.trim() ?? "";
  if (reason === "")
    return await review(context, faultsNotice(context, needsOf({ reason: reader.texts.needReason })), 400);
  return await decideEach(context, "reject", ({ refundId }, key) =>
    context.api.change(operations.rejectRefund, { path: { refundId }, body: { reason }, key }),
  );
}

type Chosen = { refundId: string; order: string | undefined; amount?: string; currency?: string };

/** Each refund of the form once, with the amount that the person has seen. */
function chosenIn(form: URLSearchParams): Chosen[] {
  const orders = form.getAll("orderId");
  const amounts = form.getAll("amount");
  const ids = form.getAll("refundId").slice(0, SELECTED_MAX);
  return [...new Set(ids)].map((refundId) => {
    const index = ids.indexOf(refundId);
    const [amount, currency] = (amounts[index] ?? "").split(" ");
    return { refundId, order: orders[index], ...(amount && { amount }), ...(currency && { currency }) };
  });
}

/**
 * Decides one refund after another, each under its own key of the form: a form that is sent twice decides
 * once. A refund that cannot be decided stops none of the others. A gateway that does not answer, or requires
 * a newer sign-in, would fail all of them, so the loop ends there.
 */
async function decideEach(
  context: PageContext,
  action: "approve" | "reject",
  decide: (chosen: Chosen, key: string) => ReturnType<PageContext["api"]["change"]>,
): Promise<PageAnswer> {
  const { form, query, reader } = context;
  const own = REFUND_TEXTS[reader.language];
  if (!context.mayDecide) return await review(context, await signInNotice(context, "1"), 403);
  const key = form.get("key") ?? "";
  const chosen = chosenIn(form);
  const refused: Fault[] = [];
  let notSent = 0;
  for (const [index, each] of chosen.entries()) {
    const fault = await faultOf(context, () => decide(each, key));
    if (!fault) continue;
    refused.push({ ...fault, text: `${each.order ?? each.refundId}: ${fault.text}` });
    if (fault.isOfAll) notSent = chosen.length - index - 1;
    if (fault.isOfAll) break;
  }
  const count = chosen.length - refused.length - notSent;
  if (refused.length === 0) {
    const back = new URLSearchParams(query);
    for (const name of ["cursor", "cursorTrail"]) back.delete(name);
    back.set("done", action === "approve" ? "approveSeveral" : "rejectSeveral");
    back.set("count", `${count}`);
    return { kind: "redirect", to: `/refunds?${back.toString()}` };
  }
  form.delete("key");
  const invalid = refused.find(({ problem }) => problem)?.problem;
  if (invalid) return await review(context, refusalNotice(context, invalid), invalid.status);
  const text = [
    own.decidedOf(count, chosen.length),
    ...refused.map((fault) => fault.text),
    ...(notSent > 0 ? [own.notSent(notSent)] : []),
  ].join(" ");
  const link = refused.find((fault) => fault.link)?.link;
  const statuses = new Set(refused.map(({ status }) => status));
  const [status = 409] = count === 0 && statuses.size === 1 ? statuses : [];
  // The selection and the reason stay while nothing was decided.
  const again = count === 0 ? review : answerList;
  const title = own.notDecidable(refused.length + notSent);
  return await again(context, { role: "alert", title, text, ...(link && { link }) }, status);
}

const SELECTED_MAX = 200;

type Fault = {
  text: string;
  status: number;
  /** The way to remove it. */
  link?: Html | undefined;
  /** Set where the form itself is at fault. */
  problem?: Problem;
  /** True if every further decision would meet it, too. */
  isOfAll?: true;
};

/** The reason why a decision was not made, or that nobody knows. */
async function faultOf(
  context: PageContext,
  decide: () => ReturnType<PageContext["api"]["change"]>,
): Promise<Fault | undefined> {
  try {
    const changed = await decide();
    if (changed.done) return undefined;
    const { problem } = changed;
    if (problem.code === "insufficient_user_authentication") {
      // The form's key was used for this refusal: the form that comes back is another request.
      context.form.delete("key");
      const { text = "", link } = await signInNotice(context, "now");
      return { text, link, status: 403, isOfAll: true };
    }
    // All refunds share one reason, which is one field.
    const isOfForm = problem.errors?.some(({ field }: { field: string }) => field === "reason") === true;
    return {
      text: problemText(context.reader, problem),
      status: problem.status,
      ...(isOfForm && { problem, isOfAll: true }),
    };
  } catch (error) {
    if (!(error instanceof OperatorApiUnavailableError)) throw error;
    return { text: `${context.reader.texts.unknownTitle}.`, status: 503, isOfAll: true };
  }
}
