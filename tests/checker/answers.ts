import type { HistoryEntry } from "./ledgers.ts";

/** The fields of a payment's record that the checker compares. */
export type AnsweredRecord = {
  paymentId: string;
  orderId: string;
  /** The JSON source text of the number: a float would hide a lost digit. */
  amount: string;
  currency: string;
  status: string;
};

/** The record of a 2xx answer. */
export function recordOf(entry: HistoryEntry): AnsweredRecord | undefined {
  const { status = 0, body } = entry;
  return status >= 200 && status < 300 && body !== undefined ? readRecord(body) : undefined;
}

/** A record from its JSON text. */
export function readRecord(text: string): AnsweredRecord | undefined {
  return recordFrom(fieldsOf(text));
}

function recordFrom(parsed: unknown): AnsweredRecord | undefined {
  const { paymentId, orderId, amount, currency, status } = stringsOf(parsed);
  if (paymentId === undefined || orderId === undefined || amount === undefined) return undefined;
  if (currency === undefined || status === undefined) return undefined;
  return { paymentId, orderId, amount, currency, status };
}

/** `code` and `paymentId` of a problem answer, if it has them. */
export function problemOf(entry: HistoryEntry): { code?: string; paymentId?: string } {
  if (entry.body === undefined || (entry.status ?? 0) < 400) return {};
  const { code, paymentId } = stringsOf(fieldsOf(entry.body));
  return { ...(code !== undefined && { code }), ...(paymentId !== undefined && { paymentId }) };
}

type Fields = Partial<Record<string, string>>;

/** The fields of a checkout that the checker compares. */
export type AnsweredCheckout = {
  checkoutId: string;
  orderId: string;
  amount: string;
  currency: string;
  status: string;
  /** Everything but the page's address, which each gateway gives under its own host here. */
  text: string;
  payment: AnsweredRecord | undefined;
};

/** The checkout of a 2xx answer. */
export function checkoutOf({ status = 0, body }: HistoryEntry): AnsweredCheckout | undefined {
  if (status < 200 || status >= 300 || body === undefined) return undefined;
  const { checkoutUrl: _checkoutUrl, payment, ...rest } = fieldsOf(body);
  const { checkoutId, orderId, amount, currency, status: state } = stringsOf(rest);
  if (checkoutId === undefined || orderId === undefined || amount === undefined) return undefined;
  if (currency === undefined || state === undefined) return undefined;
  const text = JSON.stringify(rest);
  return { checkoutId, orderId, amount, currency, status: state, text, payment: recordFrom(payment) };
}

/** Strings unchanged and numbers as they were written; a malformed text has no fields. */
export function fieldsOf(text: string): Record<string, unknown> {
  return fieldsFrom(text, withSourceText);
}

/** Strings and numbers as any reader has them; a broken text has no fields. */
export function valuesOf(text: string): Record<string, unknown> {
  return fieldsFrom(text);
}

function fieldsFrom(text: string, reviver?: typeof withSourceText): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text, reviver);
    return typeof parsed === "object" && parsed !== null ? { ...parsed } : {};
  } catch {
    return {};
  }
}

function stringsOf(parsed: unknown): Fields {
  if (typeof parsed !== "object" || parsed === null) return {};
  return Object.fromEntries(Object.entries(parsed).filter(([, value]) => typeof value === "string"));
}

/** JSON.parse hands primitive values' source text to its reviver (ECMAScript 2026), which the types do not know yet. */
function withSourceText(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === "number" ? (context?.source ?? value) : value;
}

/** Entries by the id their path names: `GET /api/payment/{id}`. */
export function readsByPayment(history: readonly HistoryEntry[]): Map<string, HistoryEntry[]> {
  return Map.groupBy(
    history.filter(({ method }) => method === "GET"),
    ({ path }) => path.split("/").at(-1) ?? "",
  );
}

/** True if the second was sent after the first had been answered, so that it must reflect the first one's answer. */
export function isAfter(first: HistoryEntry, second: HistoryEntry): boolean {
  return first.answeredAt !== undefined && second.sentAt >= first.answeredAt;
}
