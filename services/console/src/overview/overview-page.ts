import {
  listOperatorPayments,
  listOperatorRefunds,
  listOperatorWebhookDeliveries,
} from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { asOf } from "../ui/as-of.ts";
import { barChart } from "./bar-chart.ts";
import { amountText, percentText } from "../ui/format.ts";
import { approvalRates, countByAge, hourlyVolumes } from "./overview-figures.ts";
import { OVERVIEW_TEXTS } from "./overview-texts.ts";
import type { Page, PageAnswer, PageContext, Reader } from "../ui/page-context.ts";
import { waitingDeliveries, waitingTable } from "./waiting-table.ts";

/** The work that waits for people, and today in five small charts. */
export const overviewPage: Page = { method: "GET", path: "/", answer: answerOverview };

/** The most rows that a page of a list has: the figures are of these, and say so where there are more. */
const ROWS = "200";

async function answerOverview(context: PageContext): Promise<PageAnswer> {
  const { api, now, reader } = context;
  const from = `${now.toISOString().slice(0, 10)}T00:00:00Z`;
  const to = new Date(now.getTime() + MINUTE_MS).toISOString();
  const [today, unknown, refunds, deliveries] = await Promise.all([
    api.read(listOperatorPayments, { query: { from, to, limit: ROWS } }),
    api.read(listOperatorPayments, { query: { unresolved: "true", limit: ROWS } }),
    api.read(listOperatorRefunds, { query: { status: "PENDING_APPROVAL", limit: ROWS } }),
    api.read(listOperatorWebhookDeliveries, { query: { status: "pending", limit: ROWS } }),
  ]);
  const whole = { today, unknown, refunds, deliveries };
  const content = html`${asOf(context, "/")} ${waiting(reader, whole)}
    <h2>${OVERVIEW_TEXTS[reader.language].today}</h2>
    <div class="charts">
      ${volumeChart(reader, today)} ${approvalChart(reader, today)} ${ageCharts(reader, whole, now)}
    </div>`;
  return { kind: "page", title: reader.texts.overview, content };
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

type List<Row> = { items: Row[]; nextCursor?: string | undefined };
type Today = List<Parameters<typeof hourlyVolumes>[0][number]>;
type Waiting = {
  unknown: List<{ ageSeconds: number; payment: { paymentDate: string } }>;
  refunds: List<{ paymentDate: string }>;
  deliveries: List<{ occurredAt: string }>;
};

function waiting(reader: Reader, { unknown, refunds, deliveries }: Waiting): Html {
  const { texts } = reader;
  return html`${waitingTable(reader, [
      { text: texts.refundQueue, href: "/refunds", list: refunds, oldest: refunds.items[0]?.paymentDate },
      {
        text: texts.unresolvedPayments,
        href: "/unresolved",
        list: unknown,
        oldest: unknown.items[0]?.payment.paymentDate,
      },
      waitingDeliveries(reader, deliveries),
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

function ageCharts(reader: Reader, { unknown, refunds, deliveries }: Waiting, now: Date): Html {
  const texts = OVERVIEW_TEXTS[reader.language];
  const since = (iso: string) => now.getTime() - new Date(iso).getTime();
  const chart = (
    title: string,
    empty: string,
    list: List<unknown>,
    { agesMs, limitsMs, names }: { agesMs: number[]; limitsMs: number[]; names: readonly string[] },
  ) =>
    barChart(
      title,
      countByAge(agesMs, limitsMs).map((value, index) => ({
        label: names[index]!,
        value,
        text: `${value}`,
      })),
      { empty, tableName: texts.rows, heading: texts.figure, note: noteOf(reader, list).join(" ") },
    );
  const days = { limitsMs: [HOUR_MS, 4 * HOUR_MS, 24 * HOUR_MS], names: texts.ages };
  const hours = { limitsMs: [MINUTE_MS, 15 * MINUTE_MS, HOUR_MS], names: texts.waits };
  const unknownAges = unknown.items.map(({ ageSeconds }) => ageSeconds * 1_000);
  const refundAges = refunds.items.map(({ paymentDate }) => since(paymentDate));
  const deliveryAges = deliveries.items.map(({ occurredAt }) => since(occurredAt));
  return html`${chart(texts.unknown, texts.noUnknown, unknown, { agesMs: unknownAges, ...days })}
  ${chart(texts.queue, texts.noQueue, refunds, { agesMs: refundAges, ...days })}
  ${chart(texts.late, texts.noLate, deliveries, { agesMs: deliveryAges, ...hours })}`;
}

/** A note where a list has more rows than were read. */
function noteOf({ language }: Reader, { items, nextCursor }: List<unknown>): string[] {
  return nextCursor === undefined ? [] : [OVERVIEW_TEXTS[language].newest(items.length)];
}
