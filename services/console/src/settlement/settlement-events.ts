import type { BankLine, Difference, PaymentSettlement } from "@holdfast/contracts";
import { html } from "@holdfast/html";
import { amountText, dayText, statusWord } from "../ui/format.ts";
import type { Reader } from "../ui/page-context.ts";
import { sideText, stakeText } from "./difference-table.ts";
import { SETTLEMENT_TEXTS } from "./settlement-texts.ts";
import type { TimelineEvent } from "../ui/timeline.ts";

/**
 * The lines of the banks' files about a payment and its refunds, each with the way to the file or to the difference.
 */
export function eventsOfSettlement(
  reader: Reader,
  { lines, differences }: PaymentSettlement,
): TimelineEvent[] {
  return [
    ...lines.map((line) => lineEvent(reader, line)),
    ...differences.flatMap((difference) => differenceEvents(reader, difference)),
  ];
}

function lineEvent(reader: Reader, line: BankLine): TimelineEvent {
  const texts = SETTLEMENT_TEXTS[reader.language];
  const net = amountText(reader, line.netAmount, line.currency);
  const fee = amountText(reader, line.feeAmount, line.currency);
  const said = [
    texts.netAndFee(net, fee),
    ...(line.settlesOn === undefined ? [] : [texts.settlesOn(dayText(reader, line.settlesOn))]),
    texts.verdicts[line.verdict ?? "WAITING"] ?? line.verdict,
  ].join("; ");
  const file = texts.lineOf(line.fileName, line.line);
  return {
    at: line.takenAt,
    what: html`${texts.reported}: ${statusWord(reader, line.kind)}
    ${amountText(reader, line.grossAmount, line.currency)}`,
    who: reader.texts.bank,
    detail: html`<a href="/settlement/imports/${line.importId}">${file}</a>${`; ${said}`}`,
  };
}

function differenceEvents(reader: Reader, difference: Difference): TimelineEvent[] {
  const texts = SETTLEMENT_TEXTS[reader.language];
  const { differenceId, state, openedAt, endedAt } = difference;
  const name = html`<a href="/settlement/differences/${differenceId}">${texts.classes[difference.class]}</a>
    ${stakeText(reader, difference.amount, difference.currency)}`;
  const opened: TimelineEvent = {
    at: openedAt,
    what: html`${texts.differenceFound}: ${name}`,
    who: reader.texts.system,
    detail: texts.bothSay(sideText(reader, difference.ours), sideText(reader, difference.theirs)),
  };
  if (endedAt === undefined) return [opened];
  const ended: TimelineEvent = {
    at: endedAt,
    what: html`${texts.differenceEnded}: ${name}, ${statusWord(reader, state)}`,
    who: difference.closedBy ?? reader.texts.system,
    detail: difference.reason,
  };
  return [opened, ended];
}
