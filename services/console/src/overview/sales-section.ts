import { operations, type Figures } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { amountText, percentText } from "../ui/format.ts";
import { modeOf, type PageContext } from "../ui/page-context.ts";
import { table } from "../ui/table.ts";
import { unlessAway } from "../ui/unless-away.ts";
import { barChart } from "./bar-chart.ts";
import { hourChart, type Hour } from "./hour-chart.ts";
import { OVERVIEW_TEXTS } from "./overview-texts.ts";
import { listIn } from "./waiting-table.ts";

type Volume = Figures["days"][number]["volumes"][number];

/**
 * The sums of today's payments; undefined if the database cannot add them up in time. A page then shows no figures,
 * rather than some of a part of the payments.
 */
export async function readFigures({ api, query }: PageContext): Promise<Figures | undefined> {
  return await unlessAway(api.read(operations.getFigures, { query: { livemode: modeOf(query) } }));
}

/** Today's sales by hour beside yesterday's, and the banks' answers. Each number leads to its payments. */
export function salesSection(context: PageContext, figures: Figures | undefined): Html {
  const texts = OVERVIEW_TEXTS[context.reader.language];
  if (!figures)
    return html`<h2>${texts.today}</h2>
      <p class="quiet">${texts.noFigures}</p>`;
  const [today, yesterday, lastWeek] = figures.days;
  const days = { today: today!, yesterday: yesterday!, lastWeek: lastWeek! };
  return html`${salesTable(context, days, figures.at)}
    <h2>${texts.inFigures}</h2>
    <div class="charts">${volumeChart(context, days)} ${approvalChart(context, figures)}</div>`;
}

type Day = Figures["days"][number];
type Days = Record<"today" | "yesterday" | "lastWeek", Day>;

const volumeOf = ({ volumes }: Day, currency: string): Volume | undefined =>
  volumes.find((volume) => volume.currency === currency);

function salesTable(context: PageContext, { today, yesterday, lastWeek }: Days, at: string): Html {
  const { reader } = context;
  const texts = OVERVIEW_TEXTS[reader.language];
  const rows = [...new Set([today, yesterday, lastWeek].flatMap(currenciesOf))];
  const amount = (day: Day, currency: string, name: "amount" | "amountByNow") => {
    const ms = name === "amount" ? DAY_MS : Date.parse(at) % DAY_MS;
    const href = paymentsOf(context, "sold", { day: day.day, ms, currency });
    return html`<a href="${href}">${amountText(reader, volumeOf(day, currency)?.[name] ?? 0, currency)}</a>`;
  };
  return table<string>(
    texts.today,
    [
      { heading: texts.soFar, isNumber: true, cell: (currency) => amount(today, currency, "amount") },
      {
        heading: reader.texts.payments,
        isNumber: true,
        cell: (currency) =>
          html`<a href="${paymentsOf(context, "sold", { day: today.day, currency })}"
            >${volumeOf(today, currency)?.payments ?? 0}</a
          >`,
      },
      {
        heading: texts.yesterdayByNow,
        isNumber: true,
        cell: (currency) => amount(yesterday, currency, "amountByNow"),
      },
      {
        heading: texts.lastWeekByNow,
        isNumber: true,
        cell: (currency) => amount(lastWeek, currency, "amountByNow"),
      },
      {
        heading: texts.yesterdayWhole,
        isNumber: true,
        cell: (currency) => amount(yesterday, currency, "amount"),
      },
    ],
    { rows, empty: texts.noPayments },
  );
}

function currenciesOf({ volumes }: Day): string[] {
  return volumes.map(({ currency }) => currency);
}

type Counted = { day: string; fromMs?: number; ms?: number; currency?: string; accountId?: string };

/** The link to the payments that a figure counts, of a day or a part of it. */
function paymentsOf(
  context: PageContext,
  status: "sold" | "answered",
  { day, fromMs = 0, ms = DAY_MS, ...filter }: Counted,
): string {
  const start = Date.parse(day) + fromMs;
  const [from, to] = [start, start + ms].map((at) => new Date(at).toISOString());
  return listIn(context, "/payments", { ...filter, status, from: from!, to: to! });
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The hours of the currency with the most payments; the table above has the sums of all. */
function volumeChart(context: PageContext, { today, yesterday, lastWeek }: Days): Html {
  const { reader } = context;
  const texts = OVERVIEW_TEXTS[reader.language];
  const currency = [today, yesterday, lastWeek].flatMap(currenciesOf)[0] ?? "";
  const hours = Array.from({ length: 24 }, (_, hour): Hour => {
    const of = (day: Day) => {
      const value = volumeOf(day, currency)?.hours.find((each) => each.hour === hour)?.amount ?? 0;
      const href = paymentsOf(context, "sold", {
        day: day.day,
        fromMs: hour * HOUR_MS,
        ms: HOUR_MS,
        currency,
      });
      return { value, text: value === 0 ? "–" : amountText(reader, value, currency), href };
    };
    return { hour, today: of(today), yesterday: of(yesterday), lastWeek: of(lastWeek) };
  });
  return hourChart(reader, texts.volume(currency), hours);
}

function approvalChart(context: PageContext, { accounts, days }: Figures): Html {
  const { reader, session } = context;
  const texts = OVERVIEW_TEXTS[reader.language];
  // A merchant's staff do not know the accounts of the installation.
  const shown = session.staff && accounts.length > 0 ? [sumOf(accounts)] : accounts;
  const bars = shown.map(({ accountId, name, approved, declined }) => {
    const share = approved / (approved + declined);
    const ofAccount = accountId === undefined ? {} : { accountId };
    return {
      label: session.staff ? texts.allBanks : (name ?? accountId ?? ""),
      value: share,
      text: `${percentText(reader, share)} (${texts.approvedOf(approved, approved + declined)})`,
      href: paymentsOf(context, "answered", { day: days[0]!.day, ...ofAccount }),
    };
  });
  return barChart(texts.approval, bars, {
    empty: texts.noDecided,
    tableName: texts.rows,
    heading: texts.figure,
    full: 1,
  });
}

function sumOf(accounts: Figures["accounts"]): Figures["accounts"][number] {
  return accounts.reduce((sum, { approved, declined }) => ({
    approved: sum.approved + approved,
    declined: sum.declined + declined,
  }));
}
