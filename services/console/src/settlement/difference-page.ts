import {
  DIFFERENCE_DECISIONS,
  operations,
  type DifferenceDetail,
  type ReadByPerson,
} from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { linkToAccount } from "../accounts/account-path.ts";
import { signInAgain } from "../ui/action-forms.ts";
import { faultAt, needsOf } from "../ui/field-faults.ts";
import { actionForm, numberField, selectField, textField } from "../ui/form-fields.ts";
import { amountText, timeElement } from "../ui/format.ts";
import { barText, roleBar } from "../ui/offers.ts";
import type { Notice, Page, PageAnswer, PageContext } from "../ui/page-context.ts";
import { readAmount } from "../ui/read-number.ts";
import { facts } from "../ui/table.ts";
import { doneNotice, takeAction } from "../ui/take-action.ts";
import { unlessAway } from "../ui/unless-away.ts";
import { compareSides } from "./compare-sides.ts";
import { detailText } from "./detail-text.ts";
import { sideText, stakeText, stateOf } from "./difference-table.ts";
import { keptFilter } from "./kept-filter.ts";
import { SETTLEMENT_TEXTS } from "./settlement-texts.ts";

/** A difference: our record beside the bank's lines, the notes about it, and its closing. */
export const differencePages: Page[] = [
  {
    method: "GET",
    path: "/settlement/differences/:differenceId",
    answer: (context) => answerDifference(context),
  },
  { method: "POST", path: "/settlement/differences/:differenceId/note", answer: note },
  { method: "POST", path: "/settlement/differences/:differenceId/close", answer: close },
];

const pathOf = ({ parameters }: PageContext) => ({ differenceId: parameters["differenceId"]! });

/** The page of the difference, with the filters of the list that it was opened from. */
function pageOf({ parameters, query }: PageContext): string {
  return `/settlement/differences/${encodeURIComponent(parameters["differenceId"]!)}${keptFilter(query)}`;
}

async function answerDifference(context: PageContext, notice?: Notice, status?: number): Promise<PageAnswer> {
  const { api, query, reader } = context;
  const texts = SETTLEMENT_TEXTS[reader.language];
  const [difference, accounts] = await Promise.all([
    api.read(operations.getDifference, { path: pathOf(context) }),
    unlessAway(api.read(operations.listAcquirerAccounts)),
  ]);
  const account = linkToAccount(accounts?.items, difference.accountId);
  const content = html`${facts(factsOf(context, difference, account))} ${compareSides(reader, difference)}
    ${
      difference.notes.length > 0 &&
      html`<h2>${texts.notes}</h2>
        ${difference.notes.map(({ at, actor, note: said }) => html`<p>${timeElement(reader, at)} ${actor}: ${said}</p>`)}`
    }
    ${workOf(context, difference)}
    <p><a class="button" href="/settlement${keptFilter(query)}">${texts.differences}</a></p>`;
  return {
    kind: "page",
    title: `${texts.difference}: ${texts.classes[difference.class]}`,
    content,
    notice: notice ?? doneNotice(context),
    ...(status !== undefined && { status }),
  };
}

function factsOf({ reader }: PageContext, difference: DifferenceDetail, account: Html | string) {
  const texts = SETTLEMENT_TEXTS[reader.language];
  const { acceptedAmount, acceptedCurrency, decision, importId, fileName, line } = difference;
  return [
    [texts.ours, sideText(reader, difference.ours)],
    [texts.theirs, sideText(reader, difference.theirs)],
    [texts.atStake, stakeText(reader, difference.amount, difference.currency)],
    [reader.texts.status, stateOf(reader, difference)],
    [reader.texts.detail, detailText(reader, difference.detail)],
    [texts.account, account],
    [
      texts.file,
      importId !== undefined && line !== undefined
        ? html`<a href="/settlement/imports/${importId}">${texts.lineOf(fileName ?? importId, line)}</a>`
        : undefined,
    ],
    [texts.payout, difference.payoutId],
    [texts.opened, timeElement(reader, difference.openedAt)],
    [texts.assignee, difference.assignee],
    [texts.decision, decision && texts.decisions[decision]],
    [
      texts.accepted,
      acceptedAmount !== undefined && acceptedCurrency !== undefined
        ? amountText(reader, acceptedAmount, acceptedCurrency)
        : undefined,
    ],
    [reader.texts.reason, difference.reason],
  ] as const;
}

/** A note and the closing, or why there is neither. */
function workOf(context: PageContext, difference: DifferenceDetail): Html {
  const { form, mayDecide, reader, session } = context;
  const texts = SETTLEMENT_TEXTS[reader.language];
  const hasEnded = difference.state === "CLOSED" || difference.state === "RESOLVED";
  const bar = hasEnded ? texts.whyEnded : roleBar(session, "operations", reader.texts);
  if (bar !== undefined) return barText(texts.close, { why: bar });
  const path = `/settlement/differences/${difference.differenceId}`;
  const kept = keptFilter(context.query);
  const field = (name: string, label: string, max: number) =>
    textField({ name, label, value: form.get(name) ?? "", max, fault: faultAt(context, name) });
  return html`<h2>${texts.work}</h2>
    ${actionForm(context, {
      action: `${path}/note${kept}`,
      button: texts.addNote,
      fields: html`${field("note", texts.note, 1_000)} ${field("assignee", texts.assignee, 200)}`,
    })}
    ${
      difference.proposedBy === session.subject
        ? html`<p class="quiet">${texts.close}: ${texts.whySame}</p>`
        : html`${!mayDecide && signInAgain(context, path + kept)}
          ${(mayDecide || form.has("decision")) && closeForm(context, difference, `${path}/close${kept}`)}`
    }`;
}

function closeForm(context: PageContext, difference: DifferenceDetail, action: string): Html {
  const { form, reader } = context;
  const texts = SETTLEMENT_TEXTS[reader.language];
  const stake = stakeText(reader, difference.amount, difference.currency);
  return actionForm(context, {
    action,
    button: texts.close,
    values: { openedAt: difference.openedAt },
    question: reader.texts.confirmAct(
      texts.close,
      `{decision}, ${stake}, ${texts.classes[difference.class]}`,
    ),
    look: "primary",
    fields: html`${selectField({
      name: "decision",
      label: texts.decision,
      choices: [
        { value: "", text: texts.chooseDecision },
        ...DIFFERENCE_DECISIONS.map((value) => ({ value, text: texts.decisions[value] })),
      ],
      chosen: form.get("decision") || difference.decision,
      fault: faultAt(context, "decision"),
    })}
    ${textField({
      name: "reason",
      label: reader.texts.reason,
      value: form.get("reason") ?? "",
      max: 1_000,
      fault: faultAt(context, "reason"),
    })}
    ${partsOfLine(context, difference)}`,
  });
}

/** The parts that a person reads in the file where the line says no merchant, or could not be read. */
function partsOfLine(
  context: PageContext,
  { class: kind, line, merchantId, amount, currency, day }: DifferenceDetail,
): Html {
  const { form, reader } = context;
  const texts = SETTLEMENT_TEXTS[reader.language];
  const part = (name: string, label: string, max: number) =>
    textField({
      name,
      label,
      value: form.get(name) ?? "",
      max,
      hint: texts.partHint,
      fault: faultAt(context, `line.${name}`),
    });
  if (line === undefined) return html``;
  return html`${merchantId === undefined && part("merchantId", texts.merchantOfLine, 36)}
  ${
    kind === "UNREADABLE" &&
    html`${
      amount === undefined &&
      numberField(context, {
        name: "amount",
        label: texts.amountOfLine,
        read: (text) => readAmount(reader, text, currency ?? form.get("currency") ?? ""),
        fault: faultAt(context, "line.amount"),
        max: 20,
        hint: texts.partHint,
      })
    }
    ${currency === undefined && part("currency", texts.currencyOfLine, 3)}
    ${day === undefined && part("day", texts.dayOfLine, 10)}`
  }`;
}

async function note(context: PageContext): Promise<PageAnswer> {
  const { form, reader } = context;
  const text = form.get("note")?.trim() ?? "";
  const assignee = form.get("assignee")?.trim();
  const path = pathOf(context);
  return await takeAction(
    context,
    {
      action: "noteDifference",
      endpoint: operations.noteDifference,
      path,
      page: pageOf(context),
      body: { note: text, ...(assignee && { assignee }) },
      needs: needsOf({ note: text === "" && SETTLEMENT_TEXTS[reader.language].needNote }),
    },
    answerDifference,
  );
}

/** Closes the difference, and redirects to the remaining list, with the link to the next one. */
async function close(context: PageContext): Promise<PageAnswer> {
  const { form, reader } = context;
  const path = pathOf(context);
  const field = (name: string) => form.get(name)?.trim() || undefined;
  const [reason, written, openedAt] = [field("reason"), field("amount"), field("openedAt")];
  const list = new URLSearchParams(keptFilter(context.query));
  if (openedAt) list.set("after", openedAt);
  const decision = DIFFERENCE_DECISIONS.find((each) => each === form.get("decision"));
  const amount = written === undefined ? undefined : await readWritten(context, written);
  const { needDecision, needReason } = SETTLEMENT_TEXTS[reader.language];
  const line: ReadByPerson = {
    merchantId: field("merchantId"),
    amount: amount?.value,
    currency: field("currency"),
    day: field("day"),
  };
  const isRead = Object.values(line).some((part) => part !== undefined);
  return await takeAction(
    context,
    {
      action: "closeDifference",
      endpoint: operations.closeDifference,
      path,
      page: `/settlement?${list.toString()}`,
      body: { decision, reason, ...(isRead && { line }) },
      needs: needsOf({
        decision: !decision && needDecision,
        reason: !reason && needReason,
        "line.amount": amount?.fault,
      }),
    },
    answerDifference,
    ({ state }) => (state === "PROPOSED" ? "proposeDifference" : "closeDifference"),
  );
}

/** The amount of a line as a person reads it, in the line's currency where that is known. */
async function readWritten(context: PageContext, text: string) {
  const { currency } = await context.api.read(operations.getDifference, { path: pathOf(context) });
  return readAmount(context.reader, text, currency ?? context.form.get("currency")?.trim() ?? "");
}
