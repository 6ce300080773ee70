import { currencyExponent } from "@holdfast/contracts";
import { html, keepFormatters, localeOf, writeAmount, type Html } from "@holdfast/html";
import type { Reader } from "./page-context.ts";

/** An amount with its currency. */
export function amountText({ locale }: Reader, amount: number, currency: string): string {
  return writeAmount(locale, `${amount}`, currency, currencyExponent(currency) ?? 2);
}

/** An amount in decimal notation, with all of the currency's digits. */
export function amountDecimal(amount: number, currency: string): string {
  return amount.toFixed(currencyExponent(currency) ?? 2);
}

/** A time in UTC; the script writes it in the reader's zone. The exact time is in the title. */
export function timeElement({ locale }: Reader, iso: string | undefined): Html {
  if (iso === undefined) return html`–`;
  const text = timeFormatter(locale).format(new Date(iso));
  return html`<time datetime="${iso}" title="${iso}">${text} UTC</time>`;
}

const timeFormatter = keepFormatters(
  (locale: string) =>
    new Intl.DateTimeFormat(localeOf(locale), { dateStyle: "medium", timeStyle: "medium", timeZone: "UTC" }),
);

/** The time since then in one unit, with the exact time in the title. */
export function ageElement({ locale }: Reader, seconds: number, iso: string): Html {
  const { unit, each } = AGE_UNITS.find(({ each: length }) => seconds >= length) ?? AGE_UNITS.at(-1)!;
  const text = ageFormatters[unit](locale).format(Math.floor(seconds / each));
  return html`<span class="word" title="${iso}">${text}</span>`;
}

const AGE_UNITS = [
  { unit: "day", each: 86_400 },
  { unit: "hour", each: 3_600 },
  { unit: "minute", each: 60 },
] as const;

const ageFormatter = (unit: string) =>
  keepFormatters(
    (locale: string) =>
      new Intl.NumberFormat(localeOf(locale), { style: "unit", unit, unitDisplay: "short" }),
  );
const ageFormatters = {
  day: ageFormatter("day"),
  hour: ageFormatter("hour"),
  minute: ageFormatter("minute"),
};

/** A day, such as 2026-11-24, without a time zone. */
export function dayText({ locale }: Reader, day: string): string {
  return dayFormatter(locale).format(new Date(day));
}

const dayFormatter = keepFormatters(
  (locale: string) => new Intl.DateTimeFormat(localeOf(locale), { dateStyle: "medium", timeZone: "UTC" }),
);

/** A share of 1 as a percentage. */
export function percentText({ locale }: Reader, share: number): string {
  return percentFormatter(locale).format(share);
}

const percentFormatter = keepFormatters(
  (locale: string) => new Intl.NumberFormat(localeOf(locale), { style: "percent", maximumFractionDigits: 1 }),
);

/** A rate in percent, with all of its decimals. */
export function rateText({ locale }: Reader, percent: string): string {
  return rateFormatter(locale).format(Number(percent) / 100);
}

const rateFormatter = keepFormatters(
  (locale: string) =>
    new Intl.NumberFormat(localeOf(locale), {
      style: "percent",
      minimumFractionDigits: 2,
      maximumFractionDigits: 6,
    }),
);

/** A text in which a name such as payment.status_changed is broken between its words where there is no room. */
export function breakable(name: string): Html {
  return html`${name.split(/(?<=[._])/).map((part, at) => html`${at > 0 && html`<wbr />`}${part}`)}`;
}

/** The badge of a status or a state; an unknown status is shown unchanged. */
export function statusBadge({ texts }: Reader, status: string): Html {
  return html`<span class="badge ${COLOURS[status] ?? ""}">${statusWord({ texts }, status)}</span>`;
}

/** The name of a mode. */
export function modeText({ texts }: Reader, livemode: boolean): string {
  return livemode ? texts.live : texts.test;
}

/** The mark of what was made in test mode. */
export function testBadge({ texts }: Reader, livemode: boolean): Html {
  return livemode ? html`` : html` <span class="badge open">${texts.test}</span>`;
}

export function statusWord({ texts }: Pick<Reader, "texts">, status: string): string {
  return texts.statusWord[status] ?? status;
}

const COLOURS: Record<string, string> = {
  SUCCESS: "good",
  CAPTURED: "good",
  DONE: "good",
  FAILED: "bad",
  REJECTED: "bad",
  DECLINED: "bad",
  PENDING_APPROVAL: "open",
  PENDING: "open",
  EXECUTING: "open",
  AUTHORIZING: "open",
  REVERSING: "open",
  pending: "open",
  delivered: "good",
  failed: "bad",
  OPEN: "open",
  PROPOSED: "open",
  CLOSED: "good",
  RESOLVED: "good",
  READING: "open",
  TAKEN: "good",
  REFUSED: "bad",
  ACTIVE: "good",
  SUSPENDED: "bad",
  LOST: "bad",
  WON: "good",
};

/** A masked number, written so that the last four digits are easy to find. */
export function cardText(pan: string): string {
  return `${pan.slice(0, 6)} … ${pan.slice(-4)}`;
}
