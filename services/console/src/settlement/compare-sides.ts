import type { DifferenceDetail } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { amountText, cardText, dayText, statusWord, timeElement } from "../ui/format.ts";
import type { Reader } from "../ui/page-context.ts";
import { table, type Column } from "../ui/table.ts";
import { SETTLEMENT_TEXTS } from "./settlement-texts.ts";

type Line = DifferenceDetail["lines"][number];
type Row = {
  name: string;
  ours: Html | string | undefined;
  theirs: (line: Line) => Html | string | undefined;
};

/** Our record and each of the bank's lines in a column, so that the eye finds what differs. */
export function compareSides(reader: Reader, { record, lines }: DifferenceDetail): Html {
  const texts = SETTLEMENT_TEXTS[reader.language];
  if (!record && lines.length === 0) return html`<p class="quiet">${texts.noSides}</p>`;
  const isSaid = ({ ours, theirs }: Row) =>
    ours !== undefined || lines.some((line) => theirs(line) !== undefined);
  const rows = rowsOf(reader, record).filter(isSaid);
  const columns: Column<Row>[] = [
    { heading: texts.fact, cell: ({ name }) => name },
    { heading: texts.ours, cell: ({ ours }) => ours ?? "–" },
    ...lines.slice(0, LINES_SHOWN).map((line) => ({
      heading: texts.lineOf(line.fileName, line.line),
      cell: ({ theirs }: Row) => theirs(line) ?? "–",
    })),
  ];
  return html`${table(texts.bothSides, columns, { rows, empty: "" })}
  ${lines.length > LINES_SHOWN && html`<p class="quiet">${texts.moreLines(lines.length - LINES_SHOWN)}</p>`}`;
}

/** More columns would not fit on a page; the payment's own page has all of its lines. */
const LINES_SHOWN = 4;

function rowsOf(reader: Reader, record: DifferenceDetail["record"]): Row[] {
  const texts = SETTLEMENT_TEXTS[reader.language];
  const own = reader.texts;
  return [
    {
      name: texts.kind,
      ours: record && statusWord(reader, record.kind),
      theirs: ({ kind }) => statusWord(reader, kind),
    },
    {
      name: own.status,
      ours: record && (texts.standings[record.standing] ?? record.standing),
      theirs: ({ verdict = "WAITING" }) => texts.verdicts[verdict] ?? verdict,
    },
    {
      name: own.amount,
      ours: record && amountText(reader, record.amount, record.currency),
      theirs: ({ grossAmount, currency }) => amountText(reader, grossAmount, currency),
    },
    {
      name: texts.fee,
      ours: undefined,
      theirs: ({ feeAmount, currency }) => amountText(reader, feeAmount, currency),
    },
    {
      name: texts.net,
      ours: undefined,
      theirs: ({ netAmount, currency }) => amountText(reader, netAmount, currency),
    },
    { name: own.card, ours: record && cardText(record.pan), theirs: ({ pan }) => pan && cardText(pan) },
    {
      name: own.time,
      ours: record && timeElement(reader, record.occurredAt),
      // The bank's wall clock, in no zone.
      theirs: ({ transactedAt }) => transactedAt?.replace("T", " "),
    },
    {
      name: texts.settlementDay,
      ours: undefined,
      theirs: ({ settlesOn }) => settlesOn && dayText(reader, settlesOn),
    },
    { name: own.order, ours: record?.orderId, theirs: () => undefined },
    {
      name: texts.reference,
      ours: record && html`<a href="/payments/${record.paymentId}"><code>${record.movementId}</code></a>`,
      theirs: ({ reference }) => reference,
    },
    { name: own.bankReference, ours: record?.bankReference, theirs: ({ bankReference }) => bankReference },
    { name: own.authCode, ours: record?.authCode, theirs: ({ authCode }) => authCode },
  ];
}
