import { operations } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { asOf } from "../ui/as-of.ts";
import { DISPUTE_TEXTS } from "../disputes/dispute-texts.ts";
import { barChart } from "./bar-chart.ts";
import { amountText, percentText } from "../ui/format.ts";
import { approvalRates, countByAge, hourlyVolumes } from "./overview-figures.ts";
import { OVERVIEW_TEXTS } from "./overview-texts.ts";
import type { Page, PageAnswer, PageContext, Reader } from "../ui/page-context.ts";
import {
  failingTable,
  failingWork,
  readFailingEndpoints,
  type FailingEndpoints,
} from "./failing-endpoints.ts";
import { countOf, waitingTable } from "./waiting-table.ts";

/** The work that waits for people, and today in four small charts. */
export const overviewPage: Page = { method: "GET", path: "/", answer: answerOverview };

/** The most rows that a page of a list has: the figures are of these, and say so where there are more. */
const ROWS = "200";

async function answerOverview(context: PageContext): Promise<PageAnswer> {
  const { api, now, reader } = context;
  const from = `${now.toISOString().slice(0, 10)}T00:00:00Z`;
  const to = new Date(now.getTime() + MINUTE_MS).toISOString();
  const [today, unknown, refunds, disputes, failing] = await Promise.all([
    api.read(operations.listPaymentsOfMerchants, { query: { from, to, limit: ROWS } }),
    api.read(operations.listPaymentsOfMerchants, { query: { unresolved: "true", limit: ROWS } }),
    api.read(operations.listRefunds, { query: { status: "PENDING_APPROVAL", limit: ROWS } }),
    api.read(operations.listChargebacks, { query: { status: "OPEN", limit: ROWS } }),
    readFailingEndpoints(context),
  ]);
  const whole = { today, unknown, refunds, disputes, failing };
  const content = html`${asOf(context, "/")} ${waiting(reader, whole)} ${failingTable(reader, failing)}
    <h2>${OVERVIEW_TEXTS[reader.language].today}</h2>
    <div class="charts">
      ${volumeChart(reader, today)} ${approvalChart(reader, today)} ${ageCharts(reader, whole, now)}
    </div>`;
  return { kind: "page", title: reader.texts.overview, content };
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const AGE_LIMITS_MS = [HOUR_MS, 4 * HOUR_MS, 24 * HOUR_MS];

type List<Row> = { items: Row[]; nextCursor?: string | undefined };
type Today = List<Parameters<typeof hourlyVolumes>[0][number]>;
type Waiting = {
  unknown: List<{ ageSeconds: number; payment: { paymentDate: string } }>;
  refunds: List<{ paymentDate: string }>;
  disputes: List<{ openedAt: string }>;
  failing: FailingEndpoints;
};

function waiting(reader: Reader, { unknown, refunds, disputes, failing }: Waiting): Html {
  const { texts } = reader;
  return html`${waitingTable(reader, [
      {
        text: texts.refundQueue,
        href: "/refunds",
        count: countOf(refunds),
        oldest: refunds.items[0]?.paymentDate,
      },
      {
        text: texts.unresolvedPayments,
        href: "/unresolved",
        count: countOf(unknown),
        oldest: unknown.items[0]?.payment.paymentDate,
      },
      {
        text: DISPUTE_TEXTS[reader.language].openDisputes,
        href: "/disputes",
        count: countOf(disputes),
        // Newest first: the oldest is known where the list ends.
        oldest: disputes.nextCursor === undefined ? disputes.items.at(-1)?.openedAt : undefined,
      },
      failingWork(reader, failing),
    ])}
    <p>
      <a href="/unresolved">${texts.executingRefunds}</a>, <a href="/settlement">${texts.settlement}</a>
    </p>`;
}

/** The volume in the currency with the most payments; the sums of the others stand below. */
function volumeChart(reader: Reader, today: Today): Html {
  const texts = OVERVIEW_TEXTS[reader.language];
  const [first, ...others] = hourlyVolumes(today.items);
  const bars = (first?.hours ?? []).map(({ hour, amount }) => ({
    label: `${String(hour).padStart(2, "0")}:00`,
    value: amount,
    text: amountText(reader, amount, first!.currency),
  }));
  const sums = others.map(({ currency, hours }) =>
    amountText(reader, Math.round(hours.reduce((sum, { amount }) => sum + amount, 0) * 100) / 100, currency),
  );
  const notes = [...noteOf(reader, today), ...(sums.length > 0 ? [texts.others(sums.join(", "))] : [])];
  return barChart(texts.volume(first?.currency ?? ""), bars, {
    empty: texts.noPayments,
    tableName: texts.rows,
    heading: reader.texts.amount,
    note: notes.join(" "),
  });
}

function approvalChart(reader: Reader, today: Today): Html {
  const texts = OVERVIEW_TEXTS[reader.language];
  const bars = approvalRates(today.items).map(({ accountId, approved, answered }) => ({
    label: accountId === undefined ? texts.ownAccount : texts.accountOf(accountId.slice(0, 8)),
    value: approved / answered,
    text: `${percentText(reader, approved / answered)} (${texts.approvedOf(approved, answered)})`,
  }));
  return barChart(texts.approval, bars, {
    empty: texts.noDecided,
    tableName: texts.rows,
    heading: texts.figure,
    full: 1,
    note: noteOf(reader, today).join(" "),
  });
}

function ageCharts(
  reader: Reader,
  { unknown, refunds }: Pick<Waiting, "unknown" | "refunds">,
  now: Date,
): Html {
  const texts = OVERVIEW_TEXTS[reader.language];
  const since = (iso: string) => now.getTime() - new Date(iso).getTime();
  const chart = (title: string, empty: string, list: List<unknown>, agesMs: number[]) =>
    barChart(
      title,
      countByAge(agesMs, AGE_LIMITS_MS).map((value, index) => ({
        label: texts.ages[index]!,
        value,
        text: `${value}`,
      })),
      { empty, tableName: texts.rows, heading: texts.figure, note: noteOf(reader, list).join(" ") },
    );
  const unknownAges = unknown.items.map(({ ageSeconds }) => ageSeconds * 1_000);
  const refundAges = refunds.items.map(({ paymentDate }) => since(paymentDate));
  return html`${chart(texts.unknown, texts.noUnknown, unknown, unknownAges)}
  ${chart(texts.queue, texts.noQueue, refunds, refundAges)}`;
}

/** A note where a list has more rows than were read. */
function noteOf({ language }: Reader, { items, nextCursor }: List<unknown>): string[] {
  return nextCursor === undefined ? [] : [OVERVIEW_TEXTS[language].newest(items.length)];
}
