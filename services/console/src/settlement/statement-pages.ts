import { operations, type Endpoint, type ListedStatement } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { OperatorApiProblemError } from "../api/operator-api.ts";
import { rowsOf } from "../ui/csv-page.ts";
import { faultAt } from "../ui/field-faults.ts";
import { textField } from "../ui/form-fields.ts";
import { amountText, dayText } from "../ui/format.ts";
import type { Page, PageAnswer, PageContext, Reader } from "../ui/page-context.ts";
import { filterOf, readList, type ListPage, type Refusal } from "../ui/read-list.ts";
import { SETTLEMENT_TEXTS } from "./settlement-texts.ts";
import { pageLinks, table } from "../ui/table.ts";

/** The balance owed to a merchant: a page for its staff, and for everybody a CSV file and a page to be printed. */
export const statementPages: Page[] = [
  { audience: "staff", method: "GET", path: "/settlement", answer: answerStatements },
  { audience: "everybody", method: "GET", path: "/statements.csv", answer: exportStatements },
  { audience: "everybody", method: "GET", path: "/statements/print", answer: printStatements },
];

const FILTERS = ["merchantId", "from", "to"] as const;
/** The default number of days of statements, and the most that the API answers. */
const DAYS = 31;
const DAY_MS = 86_400_000;

/** The first day and the last, as ISO dates. */
export type StatementDays = { merchantId?: string; from: string; to: string };

export function statementFilter({ now, query }: PageContext): StatementDays {
  const { merchantId, from, to } = filterOf(query, FILTERS);
  const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS).toISOString().slice(0, 10);
  return {
    ...(merchantId !== undefined && { merchantId }),
    from: from ?? daysAgo(DAYS - 1),
    to: to ?? daysAgo(0),
  };
}

/**
 * Statements are the sum of every line of their days, and with many lines a day may take longer than a request: then
 * the page has everything else, and suggests a smaller question.
 */
export async function readStatements(
  context: PageContext,
): Promise<ListPage<ListedStatement> & { refusal?: Refusal }> {
  const { api, query, reader, session } = context;
  const cursor = query.get("statementsCursor") ?? undefined;
  const call = { query: { ...statementFilter(context), cursor } };
  try {
    const reading = session.staff
      ? api.read(operations.listStatements, call)
      : api.read(operations.listStatementsOfMerchants, call);
    return await readList(context, reading);
  } catch (error) {
    if (!(error instanceof OperatorApiProblemError) || error.problem.status !== 503) throw error;
    const { statementsAway: title, fewerLines } = SETTLEMENT_TEXTS[reader.language];
    const text = fewerLines(session.staff !== undefined);
    return { items: [], refusal: { status: 503, notice: { role: "alert", title, text } } };
  }
}

async function answerStatements(context: PageContext): Promise<PageAnswer> {
  const { query, reader } = context;
  const texts = SETTLEMENT_TEXTS[reader.language];
  const days = statementFilter(context);
  const page = await readStatements(context);
  const content = html`<form class="filters" action="/settlement">
      ${dayFields(context, days)}
      <button>${reader.texts.filter}</button>
    </form>
    ${!page.refusal && statementTable(context, page.items)}
    ${pageLinks(reader, { path: "/settlement", text: texts.nextStatements, name: "statementsCursor" }, query, page.nextCursor)}
    ${page.items.length > 0 && statementFiles(reader, days)}`;
  const { notice, status = 200 } = page.refusal ?? {};
  return { kind: "page", title: reader.texts.statements, content, notice, status };
}

/** The filters for the first day and the last. */
export function dayFields(context: PageContext, { from, to }: Pick<StatementDays, "from" | "to">): Html {
  const texts = SETTLEMENT_TEXTS[context.reader.language];
  const field = (name: "from" | "to", label: string, value: string) =>
    textField({ name, label, value, type: "date", fault: faultAt(context, name) });
  return html`${field("from", texts.fromDay, from)} ${field("to", texts.toDay, to)}`;
}

export function statementTable(
  { reader, session }: PageContext,
  statements: readonly ListedStatement[],
): Html {
  const texts = SETTLEMENT_TEXTS[reader.language];
  const amount = (heading: string, of: (statement: ListedStatement) => number) => ({
    heading,
    isNumber: true,
    cell: (statement: ListedStatement) => amountText(reader, of(statement), statement.currency),
  });
  const merchant = {
    heading: reader.texts.merchant,
    cell: ({ merchantId, merchantName }: ListedStatement) => merchantName ?? merchantId,
  };
  return table(
    texts.statements,
    [
      {
        heading: texts.day,
        cell: ({ day, complete }) => `${dayText(reader, day)}${complete ? "" : ` (${texts.notFinal})`}`,
      },
      ...(session.staff ? [] : [merchant]),
      amount(texts.sales, ({ salesAmount }) => salesAmount),
      amount(texts.refunds, ({ refundsAmount }) => refundsAmount),
      amount(texts.chargebacks, ({ chargebacksAmount }) => chargebacksAmount),
      amount(texts.adjustments, ({ adjustmentsAmount }) => adjustmentsAmount),
      amount(texts.commission, ({ commission }) => commission),
      amount(texts.payable, ({ netPayableAmount }) => netPayableAmount),
      { heading: texts.unpriced, isNumber: true, cell: ({ unpricedLines }) => unpricedLines },
    ],
    { rows: statements, empty: texts.noStatements },
  );
}

/** Links to these days as a file, and as a page to print. */
export function statementFiles(reader: Reader, days: StatementDays): Html {
  const texts = SETTLEMENT_TEXTS[reader.language];
  const query = new URLSearchParams(days).toString();
  return html`<p class="buttons">
    <a class="button" href="/statements.csv?${query}">${texts.statementsCsv}</a>
    <a class="button" href="/statements/print?${query}">${texts.printStatements}</a>
  </p>`;
}

async function exportStatements(context: PageContext): Promise<PageAnswer> {
  const query = statementFilter(context);
  return await rowsOf(context.api, endpointFor(context), { query, fileName: "statements.csv" });
}

/** Prints them as the gateway does, in the reader's language, with a sum for each currency and a style of its own. */
async function printStatements(context: PageContext): Promise<PageAnswer> {
  const mediaType = "text/html";
  const query = statementFilter(context);
  return {
    kind: "file",
    mediaType,
    ...(await context.api.download(endpointFor(context), mediaType, {
      query,
      locale: context.reader.locale,
    })),
  };
}

/** Staff use the endpoint that merchants have. */
function endpointFor({ session }: PageContext): Endpoint {
  return session.staff ? operations.listStatements : operations.listStatementsOfMerchants;
}
