import type { BankLine, PaymentSettlement } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { amountText, dayText } from "../ui/format.ts";
import type { Reader } from "../ui/page-context.ts";
import { table } from "../ui/table.ts";
import { SETTLEMENT_TEXTS } from "./settlement-texts.ts";

/** Our movement of money beside the bank's line; a movement that no bank has reported yet has no line. */
type Pair = { ours: Movement | undefined; line?: BankLine; expectedBy?: string | undefined };
export type Movement = { id: string; name: Html | string; amount: number; currency: string };

/** The bank's own lines beside our movements: file, line, amount, fee and day, or when they are due. */
export function bankLines(
  reader: Reader,
  { lines, awaited }: PaymentSettlement,
  movements: readonly Movement[],
): Html {
  const texts = SETTLEMENT_TEXTS[reader.language];
  const oursOf = (id: string) => movements.find((movement) => movement.id === id);
  const pairs: Pair[] = [
    ...lines.map((line) => ({ ours: oursOf(line.movementId), line })),
    ...awaited.map(({ movementId, expectedBy }) => ({ ours: oursOf(movementId), expectedBy })),
  ];
  if (pairs.length === 0) return html``;
  return table<Pair>(
    texts.bankBeside,
    [
      { heading: texts.ours, cell: ({ ours }) => ours?.name ?? "–" },
      {
        heading: reader.texts.amount,
        isNumber: true,
        cell: ({ ours }) => (ours ? amountText(reader, ours.amount, ours.currency) : "–"),
      },
      { heading: texts.theirs, cell: (pair) => theirsOf(reader, pair) },
      {
        heading: texts.gross,
        isNumber: true,
        cell: ({ line }) => (line ? amountText(reader, line.grossAmount, line.currency) : "–"),
      },
      {
        heading: texts.fee,
        isNumber: true,
        cell: ({ line }) => (line ? amountText(reader, line.feeAmount, line.currency) : "–"),
      },
      {
        heading: texts.payoutDay,
        cell: ({ line }) => (line?.settlesOn === undefined ? "–" : dayText(reader, line.settlesOn)),
      },
    ],
    { rows: pairs, empty: "" },
  );
}

function theirsOf(reader: Reader, { line, expectedBy }: Pair): Html {
  const texts = SETTLEMENT_TEXTS[reader.language];
  if (!line)
    return html`${texts.notReported}
    ${expectedBy !== undefined && html`<p class="quiet">${texts.expectedBy(dayText(reader, expectedBy))}</p>`}`;
  return html`<a href="/settlement/imports/${line.importId}">${texts.lineOf(line.fileName, line.line)}</a>
    <p class="quiet">${texts.verdicts[line.verdict ?? "WAITING"] ?? line.verdict}</p>`;
}
