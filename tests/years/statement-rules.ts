import type { RanStatement } from "./logged-plans.ts";

/** Rows or pages that a statement may read for each row that it returns or changes. */
const READ_PER_ROW = 50;

export function readsTooMuch({ read, pages, returned }: RanStatement): boolean {
  return Math.max(read, pages) > READ_PER_ROW * Math.max(1, returned);
}

/** Statements that may read more, each with the bound that it has instead. */
export const EXCUSED: { statement: RegExp; because: string }[] = [
  {
    statement: /row_number\(\) over \(order by "list_/,
    because: "A page of a list has a bound of its own, 50 rows for each that was asked for (packages/lists).",
  },
  {
    statement: /^select \* from import where state = 'REFUSED'/,
    because: "Banks' files are one a day for each account; it looks at them at a start and in minutes.",
  },
  {
    statement: /^select "merchant_id", "name" from "merchant" where "name" ilike/,
    because: "A person searches merchants by a part of their name; they are thousands at most.",
  },
  {
    statement: /^select (event\.occurred_at, event\.event_id(,| from event)|occurred_at, event_id from \() /,
    because:
      "Events of a payment or a merchant, and attempts of an event, are looked for in each day's partition.",
  },
  {
    statement: /^with shown as materialized \( select line\.fact_id/,
    because:
      "A statement adds up the lines of its days (docs/adr/0038); the page ends with the day on which they are many.",
  },
  {
    statement:
      /^(insert into statement_change \(merchant_id, currency, day\) select distinct|SELECT note_days_of_facts)/,
    because:
      "Days are noted of the lines about the facts that a statement changes, and their refunds, by the indexes on both.",
  },
  {
    statement: /^select key_id, \(select count\(\*\) from \( select from idempotency_key/,
    because: "It counts what still needs a key, up to 5 000 rows of each kind, once at a start.",
  },
];

export function excuseOf({ text }: RanStatement): string | undefined {
  return EXCUSED.find(({ statement }) => statement.test(text))?.because;
}

const ACCOUNTS = "Accounts and routes are few, and are replaced, not added to, with the years.";
const OWN_ENDPOINTS =
  "It runs the statements of the operators' command, for a merchant that may change its endpoints.";
const ONE_ROW = "It finds its row by its key, as the commands around it do that are sent.";

/** Commands that the test does not send, with the reason. */
export const NOT_SENT: Record<string, string> = {
  "gateway.end-credential": ONE_ROW,
  "gateway.make-credential": ONE_ROW,
  "payments.alter-account": ACCOUNTS,
  "payments.complete": ONE_ROW,
  "payments.inquire-refund": ONE_ROW,
  "payments.probe-account": ACCOUNTS,
  "payments.read-refund-sending": ONE_ROW,
  "payments.read-session": ONE_ROW,
  "payments.refund-reservations":
    "A command that compares all reservations, a page at a time, in the order of their key.",
  "payments.replace-installment-prices": ACCOUNTS,
  "payments.resolve": ONE_ROW,
  "payments.reverse": ONE_ROW,
  "refunds.inquire": ONE_ROW,
  "refunds.resolve": ONE_ROW,
  "settlement.confirm-import": ONE_ROW,
  "settlement.describe-difference": ONE_ROW,
  "settlement.refuse-import": ONE_ROW,
  "webhooks.activate-own-secret": OWN_ENDPOINTS,
  "webhooks.change-own-endpoint": OWN_ENDPOINTS,
  "webhooks.create-own-endpoint": OWN_ENDPOINTS,
  "webhooks.read-own-hours": OWN_ENDPOINTS,
  "webhooks.remove-own-endpoint": OWN_ENDPOINTS,
  "webhooks.rotate-own-secret": OWN_ENDPOINTS,
  "webhooks.try-own-endpoint": ONE_ROW,
};
