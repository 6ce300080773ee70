import { DIFFERENCE_DECISIONS, type Difference } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { actionForm, numberField, selectField, textField } from "../ui/form-fields.ts";
import { amountText, statusBadge, timeElement } from "../ui/format.ts";
import { roleBar } from "../ui/offers.ts";
import type { PageContext, Reader } from "../ui/page-context.ts";
import { readAmount } from "../ui/read-number.ts";
import { SETTLEMENT_TEXTS } from "./settlement-texts.ts";
import { table } from "../ui/table.ts";

/** Differences between the bank's files and our records, each with its actions. @param query of the page. */
export function differenceTable(
  context: PageContext,
  caption: string,
  { rows, query }: { rows: readonly Difference[]; query: string },
): Html {
  const { reader } = context;
  const texts = SETTLEMENT_TEXTS[reader.language];
  return table(
    caption,
    [
      {
        heading: texts.opened,
        cell: ({ openedAt, differenceId }: Difference) =>
          html`<span id="difference-${differenceId}">${timeElement(reader, openedAt)}</span>`,
      },
      {
        heading: texts.kind,
        cell: (difference) => html`${texts.classes[difference.class]} ${about(difference)}`,
      },
      { heading: texts.account, cell: ({ accountId }) => accountId },
      {
        heading: texts.atStake,
        isNumber: true,
        cell: ({ amount, currency }) => stakeText(reader, amount, currency),
      },
      {
        heading: reader.texts.detail,
        isWide: true,
        cell: (difference) => html`${difference.detail} ${notesOf(context, difference)}`,
      },
      { heading: reader.texts.status, cell: (difference) => statusOf(context, difference) },
      { heading: reader.texts.now, cell: (difference) => workOf(context, difference, query) },
    ],
    { rows, empty: texts.noDifferences },
  );
}

function about({ paymentId, payoutId }: Difference): Html {
  if (payoutId !== undefined) return html`<code>${payoutId}</code>`;
  return paymentId === undefined ? html`` : html`<a href="/search?q=${paymentId}">${paymentId}</a>`;
}

function statusOf({ reader }: PageContext, difference: Difference): Html {
  const { state, proposedBy, closedBy, decision, acceptedAmount, acceptedCurrency, reason } = difference;
  const texts = SETTLEMENT_TEXTS[reader.language];
  return html`${statusBadge(reader, state)}
  ${state === "PROPOSED" && proposedBy !== undefined && html`<p>${texts.proposedBy(proposedBy)}</p>`}
  ${closedBy !== undefined && html`<p>${texts.closedBy} ${closedBy}</p>`}
  ${decision !== undefined && html`<p>${texts.decisions[decision]}</p>`}
  ${
    acceptedAmount !== undefined &&
    acceptedCurrency !== undefined &&
    html`<p>${texts.accepted}: ${amountText(reader, acceptedAmount, acceptedCurrency)}</p>`
  }
  ${reason !== undefined && html`<p>${reason}</p>`}`;
}

/** The amount of a line that could not be read may be unknown. */
export function stakeText(reader: Reader, amount: number | undefined, currency: string | undefined): string {
  if (amount === undefined || currency === undefined) return SETTLEMENT_TEXTS[reader.language].unknownAmount;
  return amountText(reader, amount, currency);
}

function notesOf({ reader }: PageContext, { assignee, notes }: Difference): Html {
  const texts = SETTLEMENT_TEXTS[reader.language];
  return html`${assignee !== undefined && html`<p>${texts.assignee}: ${assignee}</p>`}
  ${notes.map(({ at, actor, note }) => html`<p>${timeElement(reader, at)} ${actor}: ${note}</p>`)}`;
}

/** A note and the closing, or why there is neither. Refused input stays with the difference that it is about. */
function workOf(context: PageContext, difference: Difference, query: string): Html {
  const { form, mayDecide, reader } = context;
  const texts = SETTLEMENT_TEXTS[reader.language];
  const bar = whyNot(context, difference);
  if (bar !== undefined) return html`<p class="quiet">${bar}</p>`;
  const { differenceId: id, proposedBy } = difference;
  const isEntered = form.get("differenceId") === id;
  const entered = (name: string) => (isEntered ? (form.get(name) ?? "") : "");
  const field = (name: string, label: string, max: number) =>
    textField({ name, label, id: `${name}-${id}`, value: entered(name), max });
  const values = { differenceId: id };
  return html`<details ${isEntered && html`open`}>
    <summary>${texts.work}</summary>
    ${actionForm(context, {
      action: `/settlement/note?${query}`,
      button: texts.addNote,
      values,
      fields: html`${field("note", texts.note, 1_000)} ${field("assignee", texts.assignee, 200)}`,
    })}
    ${
      proposedBy === context.session.subject
        ? html`<p class="quiet">${texts.close}: ${texts.whySame}</p>`
        : (mayDecide || isEntered) &&
          actionForm(context, {
            action: `/settlement/close?${query}`,
            button: texts.close,
            values,
            fields: html`${selectField({
              name: "decision",
              id: `decision-${id}`,
              label: texts.decision,
              choices: [
                { value: "", text: texts.chooseDecision },
                ...DIFFERENCE_DECISIONS.map((value) => ({ value, text: texts.decisions[value] })),
              ],
              chosen: entered("decision") || difference.decision,
            })}
            ${field("reason", reader.texts.reason, 1_000)}
            ${linesOfPerson(
              { ...context, form: isEntered ? form : new URLSearchParams() },
              difference,
              entered,
            )}`,
          })
    }
  </details>`;
}

/** The parts that a person reads in the file where the line says no merchant, or could not be read. */
function linesOfPerson(
  context: PageContext,
  { differenceId: id, class: kind, line, merchantId, amount, currency, day }: Difference,
  entered: (name: string) => string,
): Html {
  const { reader } = context;
  const texts = SETTLEMENT_TEXTS[reader.language];
  const part = (name: string, label: string, max: number) =>
    textField({ name, label, id: `${name}-${id}`, value: entered(name), max, hint: texts.partHint });
  if (line === undefined) return html``;
  return html`${merchantId === undefined && part("merchantId", texts.merchantOfLine, 36)}
  ${
    kind === "UNREADABLE" &&
    html`${
      amount === undefined &&
      numberField(context, {
        name: "amount",
        label: texts.amountOfLine,
        id: `amount-${id}`,
        read: (text) => readAmount(reader, text, currency ?? entered("currency")),
        max: 20,
        hint: texts.partHint,
      })
    }
    ${currency === undefined && part("currency", texts.currencyOfLine, 3)}
    ${day === undefined && part("day", texts.dayOfLine, 10)}`
  }`;
}

function whyNot({ reader, session }: PageContext, { state }: Difference): string | undefined {
  if (state === "CLOSED" || state === "RESOLVED") return SETTLEMENT_TEXTS[reader.language].whyEnded;
  return roleBar(session, "operations", reader.texts);
}
