import { operations, RANGE_DAYS_MAX, type Figures } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { asOf } from "../ui/as-of.ts";
import { SETTLEMENT_TEXTS } from "../settlement/settlement-texts.ts";
import { barChart } from "./bar-chart.ts";
import { countByAge } from "./overview-figures.ts";
import { OVERVIEW_TEXTS } from "./overview-texts.ts";
import {
  isTestMode,
  modeOf,
  type Page,
  type PageAnswer,
  type PageContext,
  type Reader,
} from "../ui/page-context.ts";
import { proposalWork, readProposals, type Proposals } from "./proposal-section.ts";
import { readFigures, salesSection } from "./sales-section.ts";
import {
  failingTable,
  failingWork,
  readFailingEndpoints,
  type FailingEndpoints,
} from "./failing-endpoints.ts";
import { unlessAway } from "../ui/unless-away.ts";
import { countOf, disputeWork, listIn, waitingTable } from "./waiting-table.ts";

/** The work that waits for people, and the sums of today. */
export const overviewPage: Page = { method: "GET", path: "/", answer: answerOverview };

/** The most rows of a list's page. Figures count only these rows, and say so if there are more. */
const ROWS = "200";

async function answerOverview(context: PageContext): Promise<PageAnswer> {
  const { api, query, reader } = context;
  const livemode = modeOf(query);
  const isTest = isTestMode(query);
  const [figures, unknown, refunds, differences, failing, proposals] = await Promise.all([
    readFigures(context),
    unlessAway(
      api.read(operations.listPaymentsOfMerchants, {
        query: { unresolved: "true", livemode, limit: ROWS },
      }),
    ),
    unlessAway(
      api.read(operations.listRefunds, { query: { status: "PENDING_APPROVAL", livemode, limit: ROWS } }),
    ),
    isTest ? undefined : unlessAway(api.read(operations.listDifferences, { query: { limit: ROWS } })),
    unlessAway(readFailingEndpoints(context)),
    readProposals(context, { limit: ROWS }),
  ]);
  const whole = { unknown, refunds, disputes: figures?.openDisputes, differences, failing, proposals };
  const content = html`${asOf(context, "/")} ${waiting(context, whole, isTest)}
    ${failing && failingTable(reader, failing)} ${salesSection(context, figures)}
    <h2>${OVERVIEW_TEXTS[reader.language].ages}</h2>
    <div class="charts">${ageCharts(context, whole)}</div>`;
  return { kind: "page", title: reader.texts.overview, content, isTest };
}

const HOUR_MS = 3_600_000;
const AGE_LIMITS_MS = [HOUR_MS, 4 * HOUR_MS, 24 * HOUR_MS];

type List<Row> = { items: Row[]; nextCursor?: string | undefined };
/** Each is undefined while its service is away. */
type Waiting = {
  unknown: List<{ payment: { paymentDate: string } }> | undefined;
  refunds: List<{ paymentDate: string }> | undefined;
  disputes: Figures["openDisputes"] | undefined;
  differences: List<{ openedAt: string }> | undefined;
  failing: FailingEndpoints | undefined;
  proposals: Proposals;
};

function waiting(context: PageContext, whole: Waiting, isTest: boolean): Html {
  const { reader } = context;
  const { texts } = reader;
  const { unknown, refunds, disputes, differences, failing } = whole;
  const ofDifferences = {
    text: SETTLEMENT_TEXTS[reader.language].differences,
    href: "/settlement",
    count: countOf(reader, differences),
    oldest: differences?.items[0]?.openedAt,
  };
  return html`${waitingTable(reader, [
      {
        text: texts.refundQueue,
        href: listIn(context, "/refunds"),
        count: countOf(reader, refunds),
        oldest: refunds?.items[0]?.paymentDate,
      },
      {
        text: texts.unresolvedPayments,
        href: listIn(context, "/unresolved"),
        count: countOf(reader, unknown),
        oldest: unknown?.items[0]?.payment.paymentDate,
      },
      proposalWork(context, whole.proposals),
      disputeWork(context, disputes),
      // The banks' files have no test mode.
      ...(isTest ? [] : [ofDifferences]),
      failingWork(reader, failing),
    ])}
    <p><a href="${listIn(context, "/unresolved")}">${texts.executingRefunds}</a></p>`;
}

function ageCharts(context: PageContext, { unknown, refunds }: Pick<Waiting, "unknown" | "refunds">): Html {
  const { now, reader } = context;
  const texts = OVERVIEW_TEXTS[reader.language];
  const chart = (title: string, empty: string, path: string, list: List<string> | undefined) =>
    list &&
    barChart(
      title,
      countByAge(
        list.items.map((date) => now.getTime() - Date.parse(date)),
        AGE_LIMITS_MS,
      ).map((value, index) => ({
        label: texts.ageGroups[index]!,
        value,
        text: `${value}`,
        href: listIn(context, path, madeWithin(now, index, list.items[0])),
      })),
      { empty, tableName: texts.rows, heading: texts.figure, note: noteOf(reader, list).join(" ") },
    );
  const unknownSince = datesOf(unknown, ({ payment }) => payment.paymentDate);
  const refundsSince = datesOf(refunds, ({ paymentDate }) => paymentDate);
  return html`${chart(texts.unknown, texts.noUnknown, "/unresolved", unknownSince)}
  ${chart(texts.queue, texts.noQueue, "/refunds", refundsSince)}`;
}

function datesOf<Row>(list: List<Row> | undefined, of: (row: Row) => string): List<string> | undefined {
  return list && { ...list, items: list.items.map(of) };
}

/**
 * The time in which the rows of a group of ages were made. A list answers no longer one than its longest: a link then
 * leads to all that wait.
 */
function madeWithin(now: Date, group: number, oldest = now.toISOString()): { from?: string; to?: string } {
  // Ages are in whole milliseconds, and the end of a list's time is not in it.
  const before = (ms: number) => now.getTime() - ms + 1;
  const [youngerMs, olderMs] = [AGE_LIMITS_MS[group], AGE_LIMITS_MS[group - 1]];
  const to = olderMs === undefined ? undefined : before(olderMs);
  // The last group has no limit but its oldest row; where it is empty, any time without rows is right.
  const first = Math.min(Date.parse(oldest), (to ?? now.getTime()) - HOUR_MS);
  const from = youngerMs === undefined ? first : before(youngerMs);
  if (now.getTime() - from > RANGE_DAYS_MAX * 24 * HOUR_MS) return {};
  const iso = (at: number) => new Date(at).toISOString();
  return { from: iso(from), ...(to !== undefined && { to: iso(to) }) };
}

/** A note where a list has more rows than were read. */
function noteOf({ language }: Reader, { items, nextCursor }: List<unknown>): string[] {
  return nextCursor === undefined ? [] : [OVERVIEW_TEXTS[language].newest(items.length)];
}
