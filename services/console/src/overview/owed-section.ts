import { operations, type Statement } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { SETTLEMENT_TEXTS } from "../settlement/settlement-texts.ts";
import { amountText, dayText } from "../ui/format.ts";
import type { PageContext } from "../ui/page-context.ts";
import { table } from "../ui/table.ts";
import { awayNote } from "../ui/unless-away.ts";
import { OVERVIEW_TEXTS } from "./overview-texts.ts";

/** The days before today and after it whose statements are shown: at most 31 in all. */
const DAYS = { before: 7, after: 23 };
const DAY_MS = 86_400_000;

type Days = Record<"from" | "to", string>;

function daysAround({ now }: PageContext): Days {
  const day = (days: number) => new Date(now.getTime() + days * DAY_MS).toISOString().slice(0, 10);
  return { from: day(-DAYS.before), to: day(DAYS.after) };
}

/** The statements of the last and the coming days, as the banks have reported them. */
export async function readOwed(context: PageContext): Promise<Owed> {
  const query = { ...daysAround(context), limit: "200" };
  return await context.api.read(operations.listStatements, { query });
}

/** The statements from the first day on; with many currencies or lines they may not reach the last day. */
type Owed = { items: readonly Statement[]; nextCursor?: string | undefined };

/** The amount that the merchant is owed for each day, the latest day first, and whether it can still change. */
export function owedSection(context: PageContext, owed: Owed | undefined): Html {
  const { reader } = context;
  const texts = SETTLEMENT_TEXTS[reader.language];
  const own = OVERVIEW_TEXTS[reader.language];
  if (!owed)
    return html`<h2>${own.owed}</h2>
      ${awayNote(reader, own.owed, owed)}`;
  const query = (days: Days) => new URLSearchParams(days).toString();
  return html`${table<Statement>(
      own.owed,
      [
        {
          heading: texts.day,
          cell: ({ day }) =>
            html`<a href="/settlement?${query({ from: day, to: day })}">${dayText(reader, day)}</a>`,
        },
        {
          heading: texts.payable,
          isNumber: true,
          cell: ({ netPayableAmount, currency }) => amountText(reader, netPayableAmount, currency),
        },
        { heading: reader.texts.status, cell: ({ complete }) => (complete ? own.final : texts.notFinal) },
      ],
      { rows: owed.items.toReversed(), empty: own.nothingOwed },
    )}
    ${owed.nextCursor !== undefined && html`<p>${own.moreOwed}</p>`}
    <p><a href="/settlement?${query(daysAround(context))}">${texts.statements}</a></p>`;
}
